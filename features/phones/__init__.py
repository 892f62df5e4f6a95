"""How well frames suit phones.

=======================  ============================================================
module                   what
=======================  ============================================================
`confidence`             psi_5 of the thesis; frames and their neighbours
`network_confidence`     phones, boundaries and transitions, by a network
`network_articulatory`   phones of any language, by a network
`articulatory`           IPA symbols as articulations
`articulatory_duration`  how long events last, in any language
`phone_loop`             the best sequence of phones, whatever was said
`monophones`             a second acoustic model; `triphones` knows neighbours
=======================  ============================================================

Imports `sound`, `networks` and the modules beside these folders.
"""

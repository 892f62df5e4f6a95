"""Labels over a recording, in tiers: what every reader returns, and a module for each format.

===================  ==============================================================
module               what
===================  ==============================================================
`labels`             labels with their times, and the one check that all share
`tier`               several rows of them over one recording; imports `labels`
`tier_format`        what formats of several tiers share
`textgrid`           Praat; `textgrid_binary`, `praat_letters`
`elan`, `exmaralda`  and `elan_kept`, `exmaralda_kept`: what they say beyond tiers
`emu`                annotations of EMU
`json_file`          Align's own; `entries_json` of praatio and MFA
`label_table`        ``.csv`` and ``.tsv``
`subtitles`          WebVTT and SRT
`rttm`, `ctm`        speakers who take turns; words of recognisers
`recognised`         what recognisers write as JSON
`audacity`, `htk`    label tracks; ``.lab``
`timit`              ``.phn`` and ``.wrd``
===================  ==============================================================

Formats import `labels` and `tier`, and these no format. Of other folders only `documents` is
imported.
"""

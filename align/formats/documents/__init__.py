"""What files are made of, whatever they are about; imports no other folder of `align.formats`.

=============  ====================================================================
module         what
=============  ====================================================================
`parsing`      what JSON and XML hold
`tables`       rows and names of columns, in six languages
`office`       text of Word's documents, rows of Excel's sheets
`writing`      ``write_x`` of a ``format_x``: a whole file or none; what XML can hold
=============  ====================================================================
"""

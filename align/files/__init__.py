"""Files as the operating system has them: written whole or not at all, regular, read as text.

And model files, which learners and aligners share.

`atomic`    write a file whole or not at all
`append`    let a file grow by all of it or nothing
`regular`   open what is a file, and not a device or a pipe
`text`      read text in the encodings that people use
`kept`      what a run keeps beside its outputs
`lock`      one process at a time in a folder
`model_file`  a zip of JSON and arrays, read without executing anything
"""

"""What is true of one value, in plain Python: instants, names, attributes, records, ids, answers.

No file, no engine and no frame belongs here.
"""

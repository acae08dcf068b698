-- What a catalog says of imports and of each of its columns.
comment on view imports is
    'The files that were imported, one row each. created, corrected, duplicates, removed, unchanged and rejected add up to rows.';
comment on column imports.import_uid is
    'The import of this file; the rows that it brought carry it.';
comment on column imports.call_uid is
    'The call that imported it; the files of one call share it.';
comment on column imports.kind is
    'relations, entities or relays.';
comment on column imports.file is
    'The path of the file, as it was given.';
comment on column imports.sha256 is
    'The digest of the file, in hexadecimal digits.';
comment on column imports.bytes is
    'The size of the file.';
comment on column imports.options is
    'How the file was read, a JSON object: scope, mapping, time zone, ...';
comment on column imports.rows is
    'How many rows the file has.';
comment on column imports.created is
    'How many rows wrote something and superseded nothing.';
comment on column imports.corrected is
    'How many rows superseded something.';
comment on column imports.duplicates is
    'How many rows said what was known.';
comment on column imports.removed is
    'How many rows took something away.';
comment on column imports.unchanged is
    'How many rows found nothing to take away.';
comment on column imports.rejected is
    'How many rows were left out, each with its reason.';
comment on column imports.started_at is
    'Transaction time: when the call began; recorded_at is later, and both are in the call.';
comment on column imports.recorded_at is
    'Transaction time: when the call was recorded; this instant is in.';
comment on column imports.tool_version is
    'The release of Mazarbul Analytics that imported it.';

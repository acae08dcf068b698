-- Grain: one row per imported file. Columns: file, sha256, options, counts, times, tool version.
-- The counts created, corrected, duplicates, removed, unchanged and rejected add up to rows.
create or replace view imports as
select * from imports_files;

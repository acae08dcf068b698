-- What the parts of a gap report share, so that the namings are joined once.
-- Makes report_unmet, report_missing, report_present; $as_of null = all that is recorded.
create or replace temp table report_unmet as
select * from relay_unmet_as_of($as_of);

create or replace temp table report_missing as
select * from relay_missing_among('report_unmet');

create or replace temp table report_present as
select * from relay_present_as_of($as_of);

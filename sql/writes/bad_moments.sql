-- Rows whose period is empty once their start is known, and rows recorded later than now.
insert into found_rejects
select ord, 0, 'recorded_at', 'future_recorded_at', strftime(rec, '%Y-%m-%dT%H:%M:%S.%fZ')
from staged where rec > $instant
union all
select ord, 1, 'valid_to', 'empty_period', strftime(t, '%Y-%m-%dT%H:%M:%S.%fZ')
from staged where f >= t

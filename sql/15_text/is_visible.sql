create function private.is_visible(value text) returns boolean
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  -- Nearly every text has a plain letter or digit. Else it takes a character that is no blank (White_Space), no control
  -- character (Cc) and none without a width (Cf), such as U+200B.
  return value ~ '[!-~]' or value ~ ('[^\u0001-\u0020\u007f-\u00a0\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2'
    || '\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb\U000110bd\U000110cd'
    || '\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]');
end
$$;
comment on function private.is_visible(text) is 'Whether a text has a character that shows.';
grant execute on function private.is_visible(text) to anon, authenticated;

-- Where events may be posted, as far as the URL alone can tell. The functions also look names up, and know their own
-- address; the drain judges every target again before each delivery. What they send is as a URL parser writes it: a host
-- in plain characters. Other spellings of a name (percent signs, letters of other scripts) are refused here.
create function private.private_targets_allowed() returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from vault.decrypted_secrets s
    where s.name = 'hooks_allow_private_targets' and s.decrypted_secret = 'true');
$$;
comment on function private.private_targets_allowed() is
  'Whether hooks may point into a private network, for tests on one''s own machine: the secret hooks_allow_private_targets in Vault is true. The functions read HOOKS_ALLOW_PRIVATE_TARGETS; the local stack sets both.';
grant execute on function private.private_targets_allowed() to anon, authenticated;

create function private.ipv4_number(part text) returns bigint
language plpgsql immutable set search_path = ''
as $$
declare
  digits constant text := '0123456789abcdef';
  base int := case when part ~ '^0x' then 16 when part ~ '^0.' then 8 else 10 end;
  written text := ltrim(case base when 16 then substr(part, 3) else part end, '0');
  number bigint := 0;
begin
  if length(written) > 11 then
    return null;
  end if;
  for at in 1 .. length(written) loop
    if strpos(left(digits, base), substr(written, at, 1)) = 0 then
      return null;
    end if;
    number := number * base + strpos(digits, substr(written, at, 1)) - 1;
  end loop;
  return number;
end
$$;
comment on function private.ipv4_number(text) is
  'A part of an IPv4 address, decimal, octal (010) or hexadecimal (0x8); null when it is not a number.';
grant execute on function private.ipv4_number(text) to anon, authenticated;

create function private.ipv4_address(host text) returns inet
language plpgsql immutable set search_path = ''
as $$
declare
  parts text[] := string_to_array(host, '.');
  size int := cardinality(parts);
  number bigint;
  address bigint := 0;
begin
  for at in 1 .. size loop
    number := private.ipv4_number(parts[at]);
    -- The last part fills all the bytes that are left: 127.1 is 127.0.0.1.
    if size > 4 or number is null or parts[at] = ''
      or number >= (case when at < size then 256 else 256::numeric ^ (5 - size) end) then
      return null;
    end if;
    address := address + case when at < size then number << (8 * (4 - at)) else number end;
  end loop;
  return inet '0.0.0.0' + address;
end
$$;
comment on function private.ipv4_address(text) is
  'The address that a URL parser reads a numeric host as, in forms that Postgres does not know: 127.1, 2130706433, 0x7f.1. Null when it is not an address.';
grant execute on function private.ipv4_address(text) to anon, authenticated;

create function private.is_public_address(address inet) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  if family(address) = 4 then
    -- The last one answers for a machine's own credentials on Azure, and lies in a public range.
    return not address <<= any (array[
      '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24',
      '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24',
      '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32']::inet[]);
  end if;
  -- Everything that was ever given out for public use lies in 2000::/3.
  return address <<= inet '2000::/3' and not address <<= any (array[
    '2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']::inet[]);
end
$$;
comment on function private.is_public_address(inet) is
  'Whether an address belongs to the public internet: none of the private, loopback, link-local, CGNAT, multicast and reserved ranges, and no IPv6 address that wraps an IPv4 one. As in functions/_shared/addresses.ts.';
grant execute on function private.is_public_address(inet) to anon, authenticated;

create function private.target_problem(target_url text) returns text
language plpgsql stable set search_path = ''
as $$
declare
  authority text := (regexp_match(target_url, '^https://([^/?#\\]*)', 'i'))[1];
  host text := rtrim((regexp_match(lower(authority), '^(\[[0-9a-f:.]+\]|[^:]*)(:[0-9]{0,5})?$'))[1], '.');
  port int := nullif(substring(authority from ':([0-9]{1,5})$'), '')::int;
  address inet;
begin
  if char_length(target_url) > 2000 then
    return 'The URL has more than 2000 characters as it is sent.';
  elsif target_url ~ '^[A-Za-z][A-Za-z0-9+.-]*:' and target_url !~* '^https:' then
    return 'The URL must begin with https://.';
  elsif strpos(authority, '@') > 0 then
    return 'The URL must not contain a user name or a password.';
  elsif coalesce(port, 443) not between 1 and 65535 or target_url ~ '[\s\\]'
    or coalesce(host, '') !~ '^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*)$' then
    return 'This is not a valid URL.';
  end if;
  if host like '[%' then
    begin
      address := btrim(host, '[]')::inet;
    exception when invalid_text_representation then
      return 'This is not a valid URL.';
    end;
  elsif host ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$' then
    -- Any host that ends in a number is an address, or nothing.
    address := private.ipv4_address(host);
    if address is null then
      return 'This is not a valid URL.';
    end if;
  end if;
  return case when not case
      when address is not null then private.is_public_address(address)
      else host like '%.%' and host !~ '(^|\.)(localhost|local|internal|home\.arpa)$' end
    and not private.private_targets_allowed() then 'The host is not on the public internet.' end;
end
$$;
comment on function private.target_problem(text) is
  'Why events cannot be posted to a URL; null when they can, as far as the URL tells. The sentences are those of functions/_shared/target.ts.';
grant execute on function private.target_problem(text) to anon, authenticated;

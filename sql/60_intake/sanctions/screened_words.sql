-- One rule in the database for the list and for leads, wherever they come from: what is romanised otherwise on one side
-- is never found.
create function private.romanised(name text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  pair text[];
begin
  if name ~ '[\u0370-\u03ff]' then
    name := translate(name, 'άέήίόύώϊϋΐΰ', 'αεηιουωιυιυ');
    foreach pair slice 1 in array array[
      ['μπ', 'b'], ['γκ', 'g'], ['γγ', 'ng'], ['τζ', 'tz'], ['ου', 'u'], ['αυ', 'av'], ['ευ', 'ev'],
      ['θ', 'th'], ['χ', 'ch'], ['ψ', 'ps'], ['ξ', 'x'], ['φ', 'f']]
    loop
      name := replace(name, pair[1], pair[2]);
    end loop;
    name := translate(name, 'αβγδεζηικλμνοπρσςτυω', 'avgdeziiklmnoprsstyo');
  end if;
  if name ~ '[\u0400-\u04ff]' then
    foreach pair slice 1 in array array[
      ['дж', 'dzh'], ['ж', 'zh'], ['х', 'kh'], ['ц', 'ts'], ['ч', 'ch'], ['щ', 'shch'], ['ш', 'sh'], ['ю', 'yu'], ['я', 'ya'],
      ['є', 'ye'], ['ї', 'yi'], ['ё', 'yo'], ['љ', 'lj'], ['њ', 'nj'], ['ђ', 'dj'], ['џ', 'dzh'], ['ћ', 'ch'], ['ѓ', 'g'], ['ќ', 'k'],
      ['ь', ''], ['ъ', ''], ['ў', 'u'], ['ғ', 'g'], ['қ', 'k'], ['ң', 'n'], ['ҳ', 'h'], ['һ', 'h']]
    loop
      name := replace(name, pair[1], pair[2]);
    end loop;
    name := translate(name, 'абвгґдезѕиійјклмнопрстуфыэәөүұ', 'abvggdezziiijklmnoprstufyeaouu');
  end if;
  if name ~ '[\u10a0-\u10ff]' then
    foreach pair slice 1 in array array[
      ['ჟ', 'zh'], ['ღ', 'gh'], ['შ', 'sh'], ['ჩ', 'ch'], ['ც', 'ts'], ['ძ', 'dz'], ['წ', 'ts'], ['ჭ', 'ch'], ['ხ', 'kh'], ['ჯ', 'j']]
    loop
      name := replace(name, pair[1], pair[2]);
    end loop;
    name := translate(name, 'აბგდევზთიკლმნოპრსტუფქყჰ', 'abgdevztiklmnoprstupkqh');
  end if;
  if name ~ '[\u0530-\u058f]' then
    foreach pair slice 1 in array array[
      ['ու', 'u'], ['ժ', 'zh'], ['խ', 'kh'], ['ծ', 'ts'], ['ձ', 'dz'], ['ղ', 'gh'], ['ճ', 'ch'], ['շ', 'sh'], ['չ', 'ch'], ['ջ', 'j'], ['ց', 'ts'], ['և', 'ev']]
    loop
      name := replace(name, pair[1], pair[2]);
    end loop;
    name := translate(name, 'աբգդեզէըթիլկհմյնոպռսվտրւփքօֆ', 'abgdezeetilkhmynoprsvtrvpkof');
  end if;
  return name;
end
$$;
comment on function private.romanised(text) is
  'A lower-case name of Greek, Cyrillic, Georgian or Armenian letters in Latin ones. Arabic and Hebrew stay, since they leave out what a Latin spelling would need.';

create function private.name_words(name text) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  pair text[];
begin
  -- Spanish short forms: "Mª del Rosario", "Fco. Javier".
  name := regexp_replace(name, '\m(m\.?[ªº°]|ma\.)(?![[:alpha:]])', 'maria ', 'gi');
  name := regexp_replace(name, '\mfco(?![[:alpha:]])\.?', 'francisco ', 'gi');
  name := normalize(name, NFKC);
  -- Marks that are written or left out at will: Arabic vowels and the line that stretches a word, invisible signs, apostrophes.
  name := regexp_replace(name, '[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u200b-\u200f\u202a-\u202e\u2060\ufeff''’‘ʼʻʾʿʹʺ`´]', '', 'g');
  -- An abbreviated word is its initial; "i", "y" and "e" between two words are not.
  name := regexp_replace(name, '\m([[:alpha:]])[[:lower:]]\.', '\1 ', 'g');
  name := regexp_replace(name, '(?<=[[:alpha:]]{2})\s+[iye]\s+(?=[[:alpha:]]{2})', ' ', 'g');
  name := regexp_replace(name collate "und-x-icu", '([[:lower:]])([[:upper:]])', '\1 \2', 'g');
  name := private.romanised(lower(name collate "und-x-icu"));
  foreach pair slice 1 in array array[
    ['š', 'sh'], ['č', 'ch'], ['ć', 'ch'], ['ž', 'zh'], ['đ', 'd'], ['ş', 'sh'], ['ș', 'sh'], ['ç', 'ch'], ['ü', 'u'], ['ñ', 'n'], ['ß', 'ss']]
  loop
    name := replace(name, pair[1], pair[2]);
  end loop;
  name := translate(name, 'أإآٱىیېئؤةہھکگ', 'اااايييييوههكك');
  name := regexp_replace(normalize(extensions.unaccent('extensions.unaccent'::regdictionary, name), NFKD), '[\u0300-\u036f]', '', 'g');
  -- "Servant of" is one word, however its article is written: "Abdul Aziz", "Abd al-Aziz".
  name := regexp_replace(name, '\mabd[aeou]+[lrsnzd]\M', 'abd', 'g');
  return array_remove(regexp_split_to_array(name collate "und-x-icu", '[^[:alnum:]]+'), '');
end
$$;
comment on function private.name_words(text) is
  'The words of a name as screening compares them: romanised, without case, accents, apostrophes, Arabic vowel marks and doubled spellings of a letter; joined words with a capital inside are split.';

create function private.telling_words(words text[]) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  telling text[] := array(
    select w.word from unnest(words) with ordinality as w (word, n)
    where w.word <> all (array[
      'de', 'del', 'della', 'dela', 'delas', 'delos', 'da', 'das', 'do', 'dos', 'di', 'du', 'des', 'dello', 'dell', 'la', 'las', 'le', 'los', 'lo', 'el', 'al', 'ul', 'ar',
      'as', 'ash', 'ad', 'ed', 'ud', 'an', 'at', 'az', 'es', 'van', 'vanden', 'vander', 'von', 'der', 'den', 'ter', 'ten', 'zu', 'bin', 'ben', 'ibn', 'bint', 'und', 'y', 'i',
      'don', 'dona', 'sr', 'sra', 'srta', 'dr', 'dra', 'mr', 'mrs', 'ms', 'sheikh', 'haji', 'hajji', 'hadji', 'mullah', 'mulla', 'بن', 'ابن', 'بنت', 'ال'])
      or (char_length(w.word) = 1 and w.word in ('y', 'i'))
    group by w.word
    order by min(w.n));
begin
  -- "Ben Ali", "Le Van Duc": who has no other words is told by these.
  return case when cardinality(telling) >= 2 then telling else words end;
end
$$;
comment on function private.telling_words(text[]) is 'The words of a name without titles and particles, each once; all of them when fewer than two would be left.';

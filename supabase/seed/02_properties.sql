-- Homes and premises in Valencia, Madrid and around Málaga, at prices of their neighbourhoods.
insert into public.properties (
  agency_id, id, reference, title, listing_type, property_type, price, bedrooms, bathrooms, area_m2, street, zone, city,
  postal_code, description, created_at)
select pg_temp.id('agency ' || v.agency), coalesce(v.id::uuid, pg_temp.id(v.reference)), v.reference, v.title, v.listing_type,
  v.property_type, v.price, v.bedrooms, v.bathrooms, v.area_m2, v.street, v.zone, v.city, v.postal_code, v.description,
  now() - v.days * interval '1 day'
from (values
  ('demo', '00000000-0000-4000-8000-0000000000b1', 'DEMO-001', 'Piso reformado con balcón en Ruzafa', 'sale', 'flat', 289000, 3, 2, 98, 'Calle Sueca 21', 'Ruzafa', 'Valencia', '46006', 'Tercero con ascensor, reformado en 2023, suelos hidráulicos y aire acondicionado.', 75),
  ('demo', '00000000-0000-4000-8000-0000000000b2', 'DEMO-002', 'Ático con terraza junto al Turia', 'sale', 'penthouse', 415000, 3, 2, 112, 'Calle Alboraya 8', 'La Saïdia', 'Valencia', '46010', 'Terraza de 40 m² con vistas al cauce, garaje y trastero.', 60),
  ('demo', '00000000-0000-4000-8000-0000000000b3', 'DEMO-003', 'Casa de pueblo a dos calles del mar', 'sale', 'house', 335000, 4, 2, 140, 'Calle de la Reina 102', 'El Cabanyal', 'Valencia', '46011', 'Planta baja y piso, patio interior, fachada de azulejo protegida.', 27),
  ('demo', '00000000-0000-4000-8000-0000000000b4', 'DEMO-004', 'Piso luminoso cerca de las universidades', 'rent', 'flat', 1150, 3, 1, 85, 'Avenida Blasco Ibáñez 60', 'Algirós', 'Valencia', '46021', 'Amueblado, exterior, a diez minutos del campus. Se admiten estudiantes.', 20),
  ('demo', '00000000-0000-4000-8000-0000000000b5', 'DEMO-005', 'Estudio en el centro histórico', 'rent', 'studio', 780, 0, 1, 38, 'Calle Alta 15', 'El Carmen', 'Valencia', '46003', 'Recién pintado, cocina equipada, finca rehabilitada sin ascensor.', 15),
  ('demo', null, 'VLC-006', 'Piso familiar con ascensor en Benimaclet', 'sale', 'flat', 214000, 3, 1, 88, 'Calle Doctor Vicente Zaragozá 47', 'Benimaclet', 'Valencia', '46020', 'Dos balcones, junto al metro y al tranvía.', 40),
  ('demo', null, 'VLC-007', 'Piso con piscina en Campanar', 'sale', 'flat', 268000, 3, 2, 104, 'Avenida Maestro Rodrigo 33', 'Campanar', 'Valencia', '46015', 'Urbanización con piscina y conserje, garaje incluido.', 95),
  ('demo', null, 'VLC-008', 'Dúplex frente a la playa de la Patacona', 'sale', 'duplex', 372000, 2, 2, 96, 'Avenida Mare Nostrum 18', 'La Patacona', 'Alboraya', '46120', 'Primera línea, solárium propio, plaza de garaje.', 50),
  ('demo', null, 'VLC-009', 'Piso señorial junto a la calle Jesús', 'sale', 'flat', 345000, 4, 2, 131, 'Calle Jesús 54', 'Extramurs', 'Valencia', '46007', 'Techos altos, molduras y mirador; para reformar cocina.', 58),
  ('demo', null, 'VLC-010', 'Chalet con jardín en Torre en Conill', 'sale', 'house', 438000, 5, 3, 245, 'Calle del Romero 9', 'Torre en Conill', 'Bétera', '46117', 'Parcela de 800 m², piscina y paellero.', 33),
  ('demo', null, 'VLC-011', 'Piso amueblado junto a Mestalla', 'rent', 'flat', 1350, 2, 2, 82, 'Calle Artes Gráficas 12', 'Mestalla', 'Valencia', '46010', 'Contrato de larga duración, calefacción y plaza de garaje.', 30),
  ('demo', null, 'VLC-012', 'Piso exterior en Patraix', 'rent', 'flat', 960, 2, 1, 70, 'Calle Cuenca 88', 'Patraix', 'Valencia', '46008', 'Sin muebles, cocina nueva, a cinco minutos del metro.', 44),
  ('demo', null, 'VLC-013', 'Ático con dos terrazas en Pla del Real', 'rent', 'penthouse', 1900, 3, 2, 118, 'Calle Botánico Cavanilles 26', 'Pla del Real', 'Valencia', '46010', 'Vistas a los Jardines de Viveros, dos plazas de garaje.', 62),
  ('demo', null, 'VLC-014', 'Vivienda de lujo en la Gran Vía', 'sale', 'flat', 525000, 4, 3, 168, 'Gran Vía Marqués del Turia 71', 'L''Eixample', 'Valencia', '46005', 'Finca con portería, cinco balcones a la Gran Vía.', 36),
  ('demo', null, 'VLC-015', 'Local con escaparate en Ruzafa', 'sale', 'premises', 185000, null, 1, 92, 'Calle Literato Azorín 30', 'Ruzafa', 'Valencia', '46006', 'Salida de humos, alquilado hasta fin de año.', 110),
  ('demo', null, 'VLC-016', 'Piso nuevo junto a la Ciudad de las Artes', 'rent', 'flat', 1080, 2, 2, 76, 'Calle Bombero Ramón Duart 6', 'Quatre Carreres', 'Valencia', '46013', 'Obra nueva, zonas comunes con piscina y gimnasio.', 18),
  ('demo', null, 'VLC-017', 'Primera vivienda en el centro de Torrent', 'sale', 'flat', 156000, 3, 1, 90, 'Calle Gómez Ferrer 41', 'Centro', 'Torrent', '46900', 'Segundo con ascensor, a la puerta del metro.', 12),
  ('demo', null, 'VLC-018', 'Dúplex a pie de la Malvarrosa', 'rent', 'duplex', 1450, 3, 2, 105, 'Calle Isabel de Villena 90', 'La Malvarrosa', 'Valencia', '46011', 'Terraza con vistas al mar, disponible todo el año.', 9),
  ('demo', null, 'MAD-019', 'Piso clásico en Chamberí', 'sale', 'flat', 498000, 2, 1, 79, 'Calle de Fernández de los Ríos 55', 'Chamberí', 'Madrid', '28015', 'Cuarto con ascensor, de un cliente valenciano que se traslada.', 22),
  ('demo', null, 'MAD-020', 'Apartamento en Lavapiés', 'rent', 'flat', 1250, 1, 1, 48, 'Calle del Amparo 37', 'Lavapiés', 'Madrid', '28012', 'Interior tranquilo, reformado y amueblado.', 6),
  ('costa-sur', null, 'MLG-101', 'Piso con encanto en el centro histórico', 'sale', 'flat', 332000, 2, 2, 84, 'Calle Carretería 63', 'Centro Histórico', 'Málaga', '29008', 'Edificio rehabilitado, cerca de la calle Larios.', 90),
  ('costa-sur', null, 'MLG-102', 'Villa a un paso de los Baños del Carmen', 'sale', 'house', 745000, 5, 4, 260, 'Calle Bolivia 114', 'Pedregalejo', 'Málaga', '29017', 'Jardín, piscina y vistas a la bahía.', 22),
  ('costa-sur', null, 'MLG-103', 'Ático en primera línea de la Malagueta', 'sale', 'penthouse', 690000, 3, 2, 127, 'Paseo Marítimo Ciudad de Melilla 19', 'La Malagueta', 'Málaga', '29016', 'Terraza de 55 m² sobre la playa.', 65),
  ('costa-sur', null, 'MLG-104', 'Piso con piscina en Teatinos', 'sale', 'flat', 298000, 3, 2, 101, 'Calle Andrómeda 5', 'Teatinos', 'Málaga', '29010', 'Junto al campus y al metro, garaje y trastero.', 38),
  ('costa-sur', null, 'MLG-105', 'Piso reformado cerca de la playa de Huelin', 'rent', 'flat', 1250, 2, 1, 74, 'Calle Héroe de Sostoa 92', 'Huelin', 'Málaga', '29002', 'Larga temporada, sin muebles o amueblado.', 41),
  ('costa-sur', null, 'MLG-106', 'Casita de pescadores en El Palo', 'rent', 'house', 980, 2, 1, 62, 'Calle Banda del Mar 27', 'El Palo', 'Málaga', '29018', 'A veinte metros de la arena.', 52),
  ('costa-sur', null, 'MLG-107', 'Estudio junto al Teatro Romano', 'rent', 'studio', 850, 0, 1, 36, 'Calle Císter 8', 'Centro Histórico', 'Málaga', '29015', 'Amueblado, con aire acondicionado.', 70),
  ('costa-sur', null, 'MLG-108', 'Adosado con vistas al mar', 'sale', 'house', 389000, 4, 3, 178, 'Calle Almería 23', 'Cotomar', 'Rincón de la Victoria', '29730', 'Tres plantas, jardín y garaje para dos coches.', 48),
  ('costa-sur', null, 'MLG-109', 'Apartamento en La Carihuela', 'sale', 'flat', 245000, 2, 1, 68, 'Calle Bulto 49', 'La Carihuela', 'Torremolinos', '29620', 'A una calle del paseo marítimo.', 130),
  ('costa-sur', null, 'MLG-110', 'Dúplex luminoso en Cruz de Humilladero', 'rent', 'duplex', 1150, 3, 2, 95, 'Calle La Unión 76', 'Cruz de Humilladero', 'Málaga', '29006', 'Dos terrazas, cerca de la estación.', 14),
  ('costa-sur', null, 'MLG-111', 'Villa con piscina y olivos', 'sale', 'house', 615000, 4, 3, 232, 'Camino de Coín 210', 'Mijas Pueblo', 'Mijas', '29650', 'Parcela de 2.400 m², casa de invitados.', 55),
  ('costa-sur', null, 'MLG-112', 'Piso con terraza en Burriana', 'sale', 'flat', 279000, 2, 2, 80, 'Avenida de Antonio Millón 12', 'Burriana', 'Nerja', '29780', 'Urbanización con piscina, bajada directa a la playa.', 47),
  ('costa-sur', null, 'MLG-113', 'Piso para reformar en Churriana', 'sale', 'flat', 198000, 3, 1, 93, 'Calle Torremolinos 31', 'Churriana', 'Málaga', '29140', 'Patio propio, muy cerca del aeropuerto y del golf.', 16)
) v (agency, id, reference, title, listing_type, property_type, price, bedrooms, bathrooms, area_m2, street, zone, city,
  postal_code, description, days);

insert into public.listings (agency_id, id, property_id, portal, url, created_at)
select p.agency_id, pg_temp.id(p.reference || portal), p.id, portal,
  case when portal <> 'own_site' then format('https://%s.example/inmueble/%s', portal, lower(p.reference)) end, p.created_at
from public.properties p, unnest(array['own_site', 'idealista', 'fotocasa']) portal
where portal <> 'fotocasa' or p.listing_type = 'sale';

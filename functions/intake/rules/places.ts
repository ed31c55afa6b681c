/**
 * Places that people write in small letters, or without a word that announces a place: capitals of provinces, larger
 * towns, and neighbourhoods of the largest. It need not be complete: announced names with a capital are found anyway.
 */
export const PLACES = `
a coruña|albacete|alcalá de henares|alcobendas|alcorcón|algeciras|alicante|almería|altea|aravaca|argüelles|arturo soria|
ávila|badajoz|badalona|barcelona|barceloneta|benalmádena|benicàssim|benidorm|bilbao|boadilla del monte|burgos|cáceres|
cádiz|calpe|carabanchel|cartagena|castelldefels|castellón|chamartín|chamberí|chueca|ciudad lineal|ciudad real|córdoba|
coslada|costa blanca|costa brava|costa del sol|cuenca|deusto|eixample|el born|el cabanyal|el carmen|el viso|elche|
estepona|fuencarral|fuengirola|fuenlabrada|gandía|getafe|getxo|gijón|girona|gràcia|gracia|granada|guadalajara|hortaleza|
horta|hospitalet|huelva|huesca|ibiza|jaén|javea|jávea|jerez|la latina|la moraleja|lanzarote|las palmas|las rozas|
las tablas|lavapiés|leganés|león|les corts|lleida|logroño|los remedios|lugo|madrid|majadahonda|málaga|malasaña|mallorca|
marbella|mataró|menorca|mijas|mirasierra|montecarmelo|moncloa|moratalaz|móstoles|murcia|nervión|nerja|ourense|oviedo|
palencia|palma de mallorca|palma|pamplona|patraix|poblenou|pontevedra|pozuelo de alarcón|pozuelo|prosperidad|retiro|
rivas|rivas vaciamadrid|ruzafa|russafa|sabadell|salamanca|san fernando|san sebastián|san sebastián de los reyes|sanchinarro|
sant cugat|sant gervasi|sants|santa cruz|santander|santiago de compostela|sarrià|sarriá|segovia|sevilla|sitges|soria|
tarragona|tenerife|terrassa|teruel|tetuán|toledo|torrejón|torremolinos|torrevieja|tres cantos|triana|usera|
valdebebas|valencia|valladolid|vallecas|vicálvaro|vigo|villaverde|vitoria|zamora|zaragoza
`
  .trim()
  .split(/\|\n?/)
  .sort((a, b) => b.length - a.length);

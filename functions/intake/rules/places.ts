/**
 * Places that people write in lower case, or without a word that introduces a place: provincial capitals, larger towns,
 * and neighbourhoods of the largest. It need not be complete: introduced, capitalised names are found anyway.
 */
export const PLACES = `
a coruña|albacete|alboraya|alcalá de henares|alcobendas|alcorcón|algeciras|algirós|alicante|almería|altea|aravaca|
argüelles|arturo soria|ávila|badajoz|badalona|barcelona|barceloneta|benalmádena|benicalap|benicàssim|benidorm|
benimaclet|bétera|bilbao|boadilla del monte|burgos|burjassot|cáceres|cádiz|calpe|campanar|carabanchel|cartagena|
castelldefels|castellón|cerrado de calderón|chamartín|chamberí|chueca|churriana|ciudad lineal|ciudad real|córdoba|
coslada|costa blanca|costa brava|costa del sol|cuenca|dénia|denia|deusto|eixample|el born|el cabanyal|el carmen|
el grao|el limonar|el viso|elche|estepona|extramurs|fuencarral|fuengirola|fuenlabrada|gandía|getafe|getxo|gijón|
girona|godella|gracia|gràcia|granada|guadalajara|horta|hortaleza|hospitalet|huelin|huelva|huesca|ibiza|jaén|jávea|
javea|jerez|la latina|la malagueta|la moraleja|la saïdia|la zaidía|lanzarote|las palmas|las rozas|las tablas|lavapiés|
leganés|león|les corts|lleida|llíria|logroño|los remedios|lugo|madrid|majadahonda|málaga|malasaña|mallorca|malvarrosa|
marbella|mataró|menorca|mestalla|mijas|mirasierra|mislata|moncloa|montecarmelo|monteolivete|moratalaz|móstoles|murcia|
nerja|nervión|orriols|ourense|oviedo|palencia|palma|palma de mallorca|pamplona|paterna|patraix|pedregalejo|poblenou|
pontevedra|pozuelo|pozuelo de alarcón|prosperidad|quatre carreres|retiro|rincón de la victoria|rivas|
rivas vaciamadrid|rocafort|russafa|ruzafa|sabadell|sagunto|salamanca|san fernando|san sebastián|
san sebastián de los reyes|sanchinarro|sant cugat|sant gervasi|santa cruz|santander|santiago de compostela|sants|
sarrià|sarriá|segovia|sevilla|sitges|soria|tarragona|teatinos|tenerife|terrassa|teruel|tetuán|toledo|torrejón|
torremolinos|torrent|torrevieja|tres cantos|triana|usera|valdebebas|valencia|valladolid|vallecas|vicálvaro|vigo|
villaverde|vitoria|zamora|zaragoza
`
  .trim()
  .split(/\|\n?/)
  .sort((a, b) => b.length - a.length);

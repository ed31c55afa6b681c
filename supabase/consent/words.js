// @ts-check

/** The texts of index.html that have a data-word, in English; there they are in Spanish. */
export const STATIC_ENGLISH = {
  loading: "One moment…",
  sign_in_title: "Sign in",
  sign_in_why:
    "An application asks for access to your agency. Sign in to see which one and decide.",
  email: "E-mail",
  password: "Password",
  sign_in: "Sign in",
  send_link: "Send me a link to sign in",
  consent_warning:
    "The application chose that name itself. Allow it only if you are connecting it yourself right now.",
  as_whom: "In the name of",
  agency: "Agency",
  returns_to: "Returns to",
  may: "It may do what you may",
  learns: "And it learns about you",
  revocable: "Your agency can take the access back at any time.",
  approve: "Allow",
  deny: "Do not allow",
  other_account: "Use another account",
};

/** What the page says besides. Every language has every word: a missing one does not pass the type check. */
const SPANISH = {
  password_missing: "Escribe tu contraseña, o pide un enlace.",
  wrong_password: "El correo o la contraseña no son correctos.",
  too_many_attempts: "Demasiados intentos. Espera un poco y vuelve a probar.",
  link_sent:
    "Si esa dirección tiene una cuenta, en un momento recibirás un enlace. Ábrelo en este navegador.",
  link_expired: "El enlace ha caducado o ya se ha usado. Pide otro.",
  consent_title: (/** @type {string} */ client) => `¿Permites que «${client}» entre en tu agencia?`,
  nameless_client: "Una aplicación sin nombre",
  this_computer: (/** @type {string} */ host) => `${host} (un programa de este equipo)`,
  reads: (/** @type {string} */ things) => `Ver ${things}`,
  writes: (/** @type {string} */ things) => `Crear y cambiar ${things}`,
  no_agent_title: "Tu cuenta no es de ninguna agencia",
  no_agent_text: (/** @type {string} */ email) =>
    `Has entrado como ${email}, pero ninguna agencia te tiene como agente activo. Pide a la tuya que vincule tu cuenta.`,
  expired_title: "La petición ya no es válida",
  expired_text:
    "Ha caducado, ya se respondió, o la abrió otra cuenta. Vuelve a la aplicación y empieza la conexión de nuevo.",
  broken_title: "El enlace no es correcto",
  broken_text: "Le falta o le sobra algo. Vuelve a la aplicación y empieza la conexión de nuevo.",
  nothing_title: "No hay nada que aprobar",
  nothing_text: "Para conectar un asistente, pega en él esta dirección; él te traerá aquí:",
  failed_title: "Algo ha fallado",
  failed_text: "No hemos podido terminar. Vuelve a cargar la página dentro de un momento.",
  leaving_title: "Listo",
  leaving_text: "Volviendo a la aplicación. Ya puedes cerrar esta página.",
  resources: {
    leads: "clientes y contactos",
    operations: "operaciones y sus etapas",
    properties: "inmuebles",
    viewings: "visitas",
    offers: "ofertas",
    signatures: "firmas",
    documents: "documentos",
  },
  scopes: {
    openid: "Quién eres",
    profile: "Tu nombre",
    email: "Tu correo electrónico",
    phone: "Tu teléfono",
    offline_access: "Seguirá conectada cuando no estés",
  },
};

/** @type {typeof SPANISH} */
const ENGLISH = {
  password_missing: "Enter your password, or ask for a link.",
  wrong_password: "The e-mail or the password is not right.",
  too_many_attempts: "Too many attempts. Wait a little and try again.",
  link_sent:
    "If that address has an account, a link will arrive in a moment. Open it in this browser.",
  link_expired: "The link has expired or was used already. Ask for another one.",
  consent_title: (client) => `Let “${client}” into your agency?`,
  nameless_client: "An application without a name",
  this_computer: (host) => `${host} (a program on this computer)`,
  reads: (things) => `See ${things}`,
  writes: (things) => `Create and change ${things}`,
  no_agent_title: "Your account belongs to no agency",
  no_agent_text: (email) =>
    `You signed in as ${email}, but no agency has you as an active agent. Ask yours to link your account.`,
  expired_title: "The request is no longer valid",
  expired_text:
    "It has expired, was answered already, or another account opened it. Go back to the application and connect again.",
  broken_title: "The link is not right",
  broken_text: "Something is missing or too much. Go back to the application and connect again.",
  nothing_title: "There is nothing to approve",
  nothing_text: "To connect an assistant, paste this address into it; it will bring you here:",
  failed_title: "Something went wrong",
  failed_text: "We could not finish. Reload the page in a moment.",
  leaving_title: "Done",
  leaving_text: "Going back to the application. You may close this page.",
  resources: {
    leads: "clients and contacts",
    operations: "deals and their stages",
    properties: "properties",
    viewings: "viewings",
    offers: "offers",
    signatures: "signatures",
    documents: "documents",
  },
  scopes: {
    openid: "Who you are",
    profile: "Your name",
    email: "Your e-mail",
    phone: "Your phone number",
    offline_access: "It stays connected while you are away",
  },
};

/** The first of the browser's languages that the page speaks; Spanish otherwise, as its agencies do. */
export const language =
  navigator.languages
    .map((one) => one.slice(0, 2).toLowerCase())
    .find((one) => one === "es" || one === "en") ?? "es";

export const words = language === "en" ? ENGLISH : SPANISH;

/**
 * Names joined as the language joins them: "a, b y c".
 * @param {string[]} names
 */
export function listed(names) {
  return new Intl.ListFormat(language).format(names);
}

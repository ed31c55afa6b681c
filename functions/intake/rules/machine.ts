/**
 * Words addressed to a program and not to an agent. Sentences with them are left out before anything is read, since
 * they do not state a wish.
 */
const TO_A_MACHINE = [
  /\b(ignor[ae]|olvid[ae]|disregard|ignore|forget|override)\b[^.\n]{0,60}\b(instruc\w+|anterior\w*|previ\w+|above|prompt|rules?|reglas|system)\b/i,
  /\b(system|assistant|developer)\s*(prompt|message|:)/i,
  /\b(prompt|json|jailbreak|chatgpt|gpt-?\d*|llm|language model|modelo de lenguaje)\b/i,
  /\b(temperature|temperatura|budget_max|bedrooms_min|urgency|intent|summary)\b\s*(?:["']\s*)?[:=]/i,
  /\b(eres|you are|act[uú]a como|act as)\b[^.\n]{0,30}\b(asistente|assistant|ia|ai|modelo|model|bot|crm)\b/i,
  /\b(marca|clasifica|califica|pon|mark|classify|set|rate)\b[^.\n]{0,50}\b(lead|contacto|presupuesto|budget|urgencia|prioridad|priority|hot|caliente|cliente vip)\b/i,
  /\b(nota|note|aviso|atenci[oó]n|attention|mensaje|message|instrucci[oó]n|instruction)e?s?\b[^.\n]{0,20}\b(para|for|to)\b[^.\n]{0,20}\b(sistema|system|ia|ai|asistente|assistant|crm|bot|clasificador|classifier|qualifier|agente autom[áa]tico)\b/i,
  /<\/?(system|instructions?|assistant|user)>/i,
];

export function withoutMachineTalk(text: string): string {
  return text
    .split(/(?<=[.!?;])\s+|\n+/)
    .filter((sentence) => !TO_A_MACHINE.some((pattern) => pattern.test(sentence)))
    .join("\n");
}

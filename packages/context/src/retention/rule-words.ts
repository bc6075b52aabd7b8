import { once } from "../once.js";

/**
 * Words that mark a prohibition, in several languages. An entry is a pattern of whole words; scripts
 * without spaces have no word boundaries.
 */
const negations: readonly string[] = [
  // English
  "never|not?|don['’]?t|doesn['’]?t|won['’]?t|can(?:no|['’]?)t|mustn['’]?t|shouldn['’]?t|isn['’]?t|aren['’]?t|without|avoid\\w*|stop|forbid\\w*|forbidden|prohibit\\w*|refus\\w+|neither|nor|nobody|nothing|none",
  // German, Dutch
  "nie|niemals|nicht|nichts|kein\\p{L}*|ohne|niemand|weder|verboten|verbiet\\p{L}*|vermeide\\p{L}*|niet|nooit|geen|zonder",
  // French, Italian
  "ne|n['’]\\p{L}+|jamais|pas|sans|aucune?|rien|interdit\\p{L}*|évite\\p{L}*|ni|non|mai|senza|nessun\\p{L}*|niente|viet\\p{L}+",
  // Spanish, Portuguese
  "nunca|jamás|sin|ningún|ninguna?|nada|prohibid\\p{L}*|evit\\p{L}+|não|sem|nenhuma?|proibid\\p{L}*",
  // Russian, Polish, Turkish
  "не|ни|нет|никогда|нельзя|без|запрещ\\p{L}+|nie|nigdy|bez|żad\\p{L}+|asla|değil|yasak",
  // Arabic, Hindi
  "لا|لم|لن|ليس|بدون|دون|ممنوع|أبدا|أبدًا|नहीं|मत|कभी नहीं|बिना",
];
/** Chinese, Japanese, Korean, Thai. */
const joinedNegations =
  /[不别勿莫未禁]|没有|切勿|ません|ないで|なく|しない|禁止|ずに|않|말[아고라]|마세요|금지|없이|지 ?마|ไม่|ห้าม|อย่า/u;

/** Words that mark a demand, in the same languages. */
const demands: readonly string[] = [
  "always|must|only|keep|should|want|need|instead|rather|make sure|ensure|require\\w*|prefer\\w*|please",
  "immer|muss|müssen|musst|soll\\p{L}*|nur|stets|bitte|behalte\\p{L}*|statt\\p{L}*|unbedingt|darf\\p{L}*|dürfen|altijd|moet\\p{L}*|alleen",
  "toujours|doit|doivent|dois|devez|faut|seulement|uniquement|garde\\p{L}*|veuillez|sempre|deve|devono|devi|solo|soltanto|bisogna",
  "siempre|debe\\p{L}*|solamente|únicamente|mantén|mantenga\\p{L}*|hay que|apenas|somente|precisa\\p{L}*",
  "всегда|должн\\p{L}+|нужно|надо|только|обязательно|пожалуйста|zawsze|musi(?:sz|my|cie)?|musz[ęą]|należy|tylko|her zaman|mutlaka|sadece|lütfen",
  "دائما|دائمًا|يجب|فقط|من فضلك|हमेशा|केवल|ज़रूर|चाहिए",
];
const joinedDemands =
  /必须|必須|务必|一定|总是|始终|只能|只有|应该|應該|需要|请|請|保持|永远|常に|必ず|だけ|ください|べき|반드시|항상|항시|만 |하세요|해야|ต้อง|เสมอ/u;

function wholeWords(languages: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${languages.join("|")})(?![\\p{L}\\p{N}_])`, "iu");
}

const negation = once(() => wholeWords(negations));
const demand = once(() => wholeWords(demands));

/** True for a text with a negation in one of about twenty languages. */
export function isNegated(text: string): boolean {
  return negation().test(text) || joinedNegations.test(text);
}

/**
 * True for a text with a word that marks a prohibition or a demand, in about twenty languages.
 *
 * A hint, not a test: a rule without such a word, or in another language, is not recognized.
 */
export function hasRuleWord(text: string): boolean {
  return isNegated(text) || demand().test(text) || joinedDemands.test(text);
}

import { summaryHeadings } from "../summary.js";
import { once } from "../../once.js";

/** "Ignore the previous instructions": a verb and a noun of each language, a few words apart. */
const overrides = [
  String.raw`(?<!\p{L})(?:ignore|disregard|forget|override)(?!\p{L}).{0,40}\b(?:previous|prior|above|earlier|all|any|your)\b.{0,40}\b(?:instruction|rule|prompt|message|constraint)`,
  String.raw`(?<!\p{L})(?:ignorier|vergiss|vergesst|vergessen sie|missacht|verwirf)\p{L}*.{0,50}(?:anweisung|regel|vorgabe|nachricht|prompt|instruktion)`,
  String.raw`(?<!\p{L})(?:ignore|oublie|néglige|négligez|fais abstraction)\p{L}*.{0,50}(?:instruction|consigne|règle|message|invite)`,
  String.raw`(?<!\p{L})(?:ignor|olvid|descart|omit)\p{L}*.{0,50}(?:instruccion|instrucción|regla|mensaje|orden|órden|indicacion)`,
  String.raw`(?<!\p{L})(?:игнорир|забуд|отбрось|не обращай)\p{L}*.{0,50}(?:инструкц|правил|указани|сообщени|предписан)`,
  String.raw`(?:忽略|无视|忘记|忘掉|不要理会|不用管).{0,24}(?:指令|指示|规则|提示|消息|要求)`,
  String.raw`(?:تجاهل|انس|انسَ|إهمال|أهمل).{0,50}(?:تعليمات|قواعد|أوامر|رسائل|إرشادات)`,
];

/** A line that begins by telling the reader what to do. */
const orders = [
  String.raw`^[-*\s]*(?:important|attention|note|system|assistant|agent|ai|warning)?\s*[:,!-]?\s*you\s+(?:must|should|have to|need to|are to|shall|may now|can now|are now|will now)\b`,
  String.raw`\b(?:obey|comply with) (?:me|this|the following)\b`,
  String.raw`^[-*\s]*(?:(?:wichtig|achtung|hinweis)\s*[:,!-]\s*)?(?:du|ihr|sie)\s+(?:musst|müsst|müssen|sollst|sollen|darfst|dürfen)(?!\p{L})`,
  String.raw`^[-*\s]*(?:(?:important|attention)\s*[:,!-]\s*)?(?:tu|vous)\s+(?:dois|devez|peux maintenant|pouvez maintenant)(?!\p{L})`,
  String.raw`^[-*\s]*(?:(?:importante|atención)\s*[:,!-]\s*)?(?:tú\s+|usted\s+|ahora\s+)?(?:debes|debe usted|tienes que|tiene que)(?!\p{L})`,
  String.raw`^[-*\s]*(?:(?:важно|внимание)\s*[:,!-]\s*)?(?:ты|вы)\s+(?:долж|обязан)`,
  String.raw`^[-*\s]*(?:(?:重要|注意)\s*[:：,，!！]?\s*)?[你您](?:必须|应该|应当|需要|现在|要|得)`,
  String.raw`^[-*\s]*(?:(?:هام|مهم|تنبيه)\s*[:،!-]?\s*)?(?:يجب عليك|عليك أن|يجب أن تقوم|لا بد أن)`,
];

/** A line that begins with the name of a speaker, as transcripts and chat templates mark one. */
const roles =
  /^[-*>\s]*(?:[[<(*_#|]{0,3})\s*(?:system|developer|user|human|assistant|systemnachricht|benutzer|nutzer|utilisateur|système|usuario|sistema|пользователь|система|系统|用户|助手|المستخدم|النظام)(?:\s*(?:message|prompt|instructions?))?\s*(?:[\])>*_|]{0,3})\s*[:：]/iu;

/** Tags and tokens that structure prompts and chat templates. */
const markup =
  /<\s*\/?\s*(?:system|user|human|assistant|developer|conversation|record_so_far|system[-_]\w+|instructions?)\b[^>]{0,80}>|<\|[^|>]{1,40}\|>|\[\/?INST\]/i;

/** Our own notices, headings and pointers, which no line but ours has a reason to repeat. */
const ours = [
  /\[(?:Summary of earlier messages|Result of an earlier step|Result offloaded|From the context manager)/i,
  /(?:Originals|Full text|Whole text|archived)\s*:\s*\/context\//i,
  new RegExp(`^[-*>\\s]*#{1,6}\\s*(?:${Object.values(summaryHeadings).join("|")})`, "i"),
];

const patterns = once(() => {
  const known = [...overrides, ...orders].map((source) => new RegExp(source, "iu"));
  return [...known, roles, markup, ...ours];
});

/**
 * True for a line that addresses the agent, speaks for another role or imitates the structure of a prompt or a stand-in,
 * in English, German, French, Spanish, Russian, Chinese and Arabic.
 *
 * Catches what is obvious. What it does not catch is harmless only because it is quoted.
 */
export function isInstruction(line: string): boolean {
  return patterns().some((pattern) => pattern.test(line));
}

import type { BaseMessage } from "@langchain/core/messages";
import { isUserMessage } from "../../folds/fold.js";
import { messageText, sentences } from "../../messages/text.js";
import { contentWords } from "../../words/words.js";
import { isNegated } from "../../retention/rule-words.js";
import { lazyRegExp, once } from "../../once.js";

/** A line that attributes a request to the user: who, and within a few words the verb, for each language. */
const claimForms = [
  String.raw`\b(?:user|human|customer|client|owner)s?\s+(?:(?:also|now|then|has|have|had|explicitly|clearly|just)\s+){0,2}(?:want|ask|request|demand|instruct|say|said|told|tell|need|require|approv|authori[sz]|confirm|permit|allow|prefer|insist|order)`,
  String.raw`(?:benutzer|nutzer|anwender|kund)\p{L}*\s+(?:\p{L}+\s+){0,2}?(?:will|möchte|wünsch|verlang|bitte|forder|erlaub|genehmig|bestätig|sag|hat|braucht)`,
  String.raw`(?:utilisat|client)\p{L}*\s+(?:\p{L}+\s+){0,2}?(?:veut|souhait|demand|exig|dit|a |approuv|autoris|confirm)`,
  String.raw`(?:usuari|client)\p{L}*\s+(?:\p{L}+\s+){0,2}?(?:quier|dese|pid|solicit|exig|dice|dijo|ha |aprueb|aprob|autoriz|confirm)`,
  String.raw`(?:пользовател|клиент|заказчик)\p{L}*\s+(?:\p{L}+\s+){0,2}?(?:хоч|прос|треб|сказ|разреш|одобр|попрос|подтверд|велел)`,
  String.raw`(?:用户|客户|使用者).{0,6}(?:要求|希望|想|说|批准|授权|同意|允许|需要|让|请求|确认)`,
  String.raw`(?:يريد|طلب|يطلب|قال|وافق|أذن|أكد|سمح|أمر)\s+(?:\p{L}+\s+)?(?:المستخدم|العميل|الزبون)|(?:المستخدم|العميل|الزبون)\s+(?:\p{L}+\s+)?(?:يريد|طلب|يطلب|قال|وافق|أذن|أكد|سمح|أمر)`,
];
const claims = once(() => claimForms.map((source) => new RegExp(source, "iu")));

/** True for a line that says what the user wants, said or allowed. */
export function isUserClaim(line: string): boolean {
  return claims().some((pattern) => pattern.test(line));
}

interface Clause {
  readonly words: ReadonlySet<string>;
  readonly isNegated: boolean;
}

/** What the users of a conversation said, to compare claims with. */
export interface UserWords {
  /** Their sentences, in lower case. */
  readonly sentences: ReadonlySet<string>;
  readonly clauses: readonly Clause[];
}

/** Returns the words of the users among the messages; summaries are nobody's words. */
export function userWords(messages: readonly BaseMessage[]): UserWords {
  const users = messages.filter(isUserMessage);
  const said = users.flatMap((message) => sentences(messageText(message)));
  return {
    sentences: new Set(said.map(plain)),
    clauses: said
      .filter(isKnownLanguage)
      .flatMap(clausesOf)
      .filter(({ words }) => words.size > 0),
  };
}

/**
 * Common words of the languages in Latin letters whose negations are known. Without one the language may be another, in
 * which a prohibition looks like a request.
 */
const common = lazyRegExp(
  String.raw`(?<!\p{L})(?:the|an?|to|of|and|in|on|is|it|for|with|i|you|my|please|never|not?|der|die|das|den|dem|ein|eine|und|zu|im|ist|mit|für|nicht|bitte|le|la|les|des?|du|une?|et|à|est|pour|avec|pas|el|los|las|del|y|en|es|con|para|il|lo|gli|di|e|per|non|os?|as|do|da|em|não|het|een|van|niet|w|i|z|na|nie|bir|ve|için)(?!\p{L})`,
  "iu",
);
/** A letter of another script, whose languages are all in the table. */
const otherScript = lazyRegExp(
  String.raw`[\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Devanagari}]`,
  "u",
);

function isKnownLanguage(sentence: string): boolean {
  return common().test(sentence) || otherScript().test(sentence);
}

/** Returns true for a line whose sentences are all whole sentences of the user. */
export function isSaid(line: string, user: UserWords): boolean {
  const parts = sentences(line);
  return parts.length > 0 && parts.every((part) => user.sentences.has(plain(part)));
}

/** Minimum share of a clause's words that clauses of the user with the same polarity contain. */
const groundedShare = 0.5;

/**
 * True when the user said what a line claims: every clause shares most of its words with clauses of the user that are
 * negated as it is, and with none that says the opposite as closely.
 *
 * "The user wants all backups deleted" is not grounded in "Never delete anything". Negation is recognized in the languages
 * of `isNegated`; a sentence of the user without a common word of one supports only its own repetition.
 */
export function isGrounded(line: string, user: UserWords): boolean {
  if (isSaid(line, user)) return true;
  const claimed = clausesOf(claims().reduce((text, pattern) => text.replace(pattern, " "), line));
  return claimed.every((clause) => clause.words.size === 0 || isClauseGrounded(clause, user.clauses));
}

function isClauseGrounded(claim: Clause, said: readonly Clause[]): boolean {
  const same = said.filter((clause) => clause.isNegated === claim.isNegated);
  const opposite = said.filter((clause) => clause.isNegated !== claim.isNegated);
  const share = (known: ReadonlySet<string>) =>
    [...claim.words].filter((word) => known.has(word)).length / claim.words.size;
  const closest = (clauses: readonly Clause[]) => Math.max(0, ...clauses.map(({ words }) => share(words)));
  const denied = closest(opposite);
  if (denied > 0 && denied >= closest(same)) return false;
  return share(new Set(same.flatMap(({ words }) => [...words]))) >= groundedShare;
}

/** Ends of clauses: punctuation, and the words that join clauses of different polarity. */
const clauseEnd =
  /[.,;:!?…。！？，；：،؛؟—]+(?:\s+|$)|[。！？，；：]|\s+(?:and|but|or|und|aber|oder|et|mais|ou|y|pero|и|но|а|و|لكن)\s+/iu;

function clausesOf(sentence: string): readonly Clause[] {
  return sentence.split(clauseEnd).map((clause) => ({
    words: stems(clause),
    isNegated: isNegated(clause),
  }));
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/[.!?。！？؟]+$/u, "")
    .trim();
}

/** Words except stop words, cut to five characters so that `files` and `filed` match. */
function stems(text: string): ReadonlySet<string> {
  const telling = contentWords(text).filter((word) => !stopWords.has(word));
  return new Set(telling.map((word) => word.slice(0, 5)));
}

const stopWords = new Set(
  "the and that this with for from are was were has have had not but its his her their they them then than into onto about all any can will would should could must may might been being also now what when where which who how why user users wants asked never without".split(
    " ",
  ),
);

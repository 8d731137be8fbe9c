/** "I used that tool": a tool is said to have run, and nothing of the turn says so. Rules: RE10. */
import type { ClaimFinding, ToolRun } from "../../contracts/text-check.ts";
import type { Clause } from "./clauses.ts";

/** Words that say that something ran, next to its name. */
const RAN =
  /(?<![\p{L}\p{M}'’])(?:used|using|called|calling|ran|running|invoked|invoking|executed|executing|queried|triggered|consulted|performed|launched|launching|started|fired|hit|tried|kicked off|made a|via|through|leveraged|relied on|checked with|according to|results? (?:from|of)|output (?:from|of)|response (?:from|of)|thanks to|was run|us[eé]|utilic[eé]|llam[eé]|ejecut[eé]|invoqu[eé]|consult[eé]|lanc[eé]|emple[eé]|recurr[ií] a|acabo de \p{L}+|usad[oa]|utilizad[oa]|llamad[oa]|ejecutad[oa]|invocad[oa]|consultad[oa]|usando|utilizando|mediante|a trav[eé]s de|gracias a|con ayuda de|seg[uú]n|devolvi[oó])(?![\p{L}\p{M}])|का उपयोग|का इस्तेमाल|का प्रयोग|उपयोग कर|को कॉल|कॉल किया|को बुलाया|चलाया|चलाकर|चलाने|के माध्यम से|के ज़रिए|के जरिए|की मदद से|के अनुसार|निष्पादित|使用|用了|利用|调用|运行|执行|通过|借助|查询了|启动|根据/iu;
/** The strong ones stand for themselves; behind the others an unknown name needs the word "tool". */
const CALLED =
  /(?<![\p{L}\p{M}])(?:called|ran|invoked|executed|triggered|llam[eé]|ejecut[eé]|invoqu[eé]|lanc[eé]|llamad[oa]|ejecutad[oa]|invocad[oa])(?![\p{L}\p{M}])|कॉल किया|चलाया|चलाकर|निष्पादित|调用|运行了|执行了/iu;
const TOOL = /(?<!\p{L})(?:tool|function|herramienta|funci[oó]n)(?!\p{L})|टूल|उपकरण|फ़ंक्शन|工具|函数/iu;
/** A tool that has done something has run. */
const HAS_DONE =
  /^\s?(?:(?:tool|function|call|request|run|lookup|query|herramienta|टूल|工具|函数)\s?)?(?:returned|returns|confirmed|confirms|reported|reports|showed|shows|says|said|responded|replied|gave|came back|went through|went fine|succeeded|completed|finished|worked|found|indicates|indicated|tells|told|devolvi[oó]|devuelve|confirm[oóa]|respondi[oó]|indic[oóa]|mostr[oó]|muestra|dice|dijo|termin[oó]|complet[oó]|funcion[oó]|arroj[oó]|encontr[oó]|ने (?:बताया|दिखाया|लौटाया|कहा|पुष्टि)|से (?:मुझे )?(?:यह )?(?:पता चला|मिला|मिली|पुष्टि|जानकारी)|सफल|पूरा हुआ|返回|显示|表明|确认|给出|告诉|完成|成功|已|的(?:结果|数据|输出|返回))/iu;
/** Such names are fields and settings, not tools. */
const FIELD =
  /(?:^|[_.-])(?:ids?|keys?|names?|urls?|dates?|times?|tokens?|numbers?|counts?|types?|status|path|field|values?|code|params?|at|uuid)$|[a-z](?:Id|Key|Name|Url|Date|Time|Token|Number|Count|Type|Status|Path|Value|Code)$/;

/** What has not happened, or need not have. */
const UNREAL =
  /(?<![\p{L}\p{M}])(?:not|never|without|could|can|cannot|would|should|might|may|will|shall|let me|going to|want me|if you|if i|unable|please|if|once|when you|next|later|need|tools|have access|offers?|exists?|plan to|need to|instead of|able to|available|no|nunca|sin|podr[ií]a|pued\p{L}*|podemos|voy a|ser[ií]a|si|quiere|quieres|deber[ií]a|tendr[ií]a que|en lugar de|disponible|siguiente|cuando|si hace falta|necesitar[ií]a|herramientas|existe|luego)(?![\p{L}\p{M}])|n['’]t(?!\p{L})|['’]ll(?!\p{L})|नहीं|बिना|सकता|सकती|सकते|चाहें|चाहते|करूँ|करूं|होगा|होगी|अगर|यदि|उपलब्ध|पड़े|चाहिए|अगला|मौजूद|के बाद में|没有|没能|未能|未曾|无法|无需|可以|能够|将会|将要|要不要|如果|是否|需要我|不能|不会|没|需要|下一步|还有|以后|等您/iu;
const FAILED =
  /(?<!\p{L})(?:fail|error|denied|refused|timed out|cancel|unsuccessful|did not|didn|could not|couldn|unable|fall[oó]|deneg|rechaz|cancel|no pud|no se pud)|विफल|असफल|अस्वीकार|रद्द|त्रुटि|失败|错误|拒绝|取消|超时/iu;

const NAME =
  /`([\p{L}\p{N}_.:-]{2,64})(?:\([^`)]{0,80}\))?`|(?<![\p{Script=Latin}\p{N}_./@:-])([a-z][a-z0-9]*(?:_{1,2}[a-z0-9]+)+|[a-z]{2,}(?:[A-Z][a-z0-9]+)+)(?![\p{N}_/@]|\.[a-z])/gu;
/** Behind a name: it has not run. */
const NOT_DONE =
  /^\s?(?:(?:tool|function|herramienta|工具|函数)\s?)?(?:was not|wasn['’]t|is not|isn['’]t|did not|didn['’]t|could|can|would|will|may|might|should|no (?:fue|se|est[aá])|podr[ií]a|puede|没|未|不|可以|能|吗)/iu;
const ARTICLE = /(?<!\p{L})(?:the|la|el|your|tu)\s$/iu;
/** Characters to either side of a name in which what is said of it is looked for. */
const NEAR = 48;
const BESIDE = 18;
/** Unknown ones that are looked up. */
const MOST_NAMES = 50;

interface Named {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly known: boolean;
}

const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

export interface ToolClaims {
  readonly runs: readonly ToolRun[];
  /** Real names of what the agent has. */
  readonly knownTools: readonly string[];
}

/** One for each name and clause. */
export function checkToolClaims(clauses: readonly Clause[], { runs, knownTools }: ToolClaims): ClaimFinding[] {
  const ran = new Map<string, ToolRun[]>();
  for (const run of runs) ran.set(plain(run.tool), [...(ran.get(plain(run.tool)) ?? []), run]);
  const known = new Set([...knownTools.map(plain), ...ran.keys()]);
  const data = new Map<string, boolean>();
  const isData = ({ name, known: has }: Named): boolean => {
    if (has || FIELD.test(name)) return !has;
    // Looking into every result is dear: a text full of names is no account of tools.
    const found = data.get(name) ?? (data.size >= MOST_NAMES || runs.some((run) => mentions(run, name)));
    data.set(name, found);
    return found;
  };
  return clauses.flatMap((clause) =>
    findNames(clause.text, known).flatMap((named) => {
      if (isData(named)) return [];
      const calls = ran.get(plain(named.name)) ?? [];
      if (calls.some(hasRun) || !isClaimed(clause.text, named)) return [];
      if (calls.length > 0 && FAILED.test(clause.text)) return [];
      const confidence = calls.length > 0 ? 0.7 : named.known ? 0.95 : 0.85;
      const receipts = runs.flatMap(({ receipt }) => receipt ?? []);
      const place = { start: clause.start + named.start, end: clause.start + named.end };
      const text = clause.text.slice(named.start, named.end);
      return [{ kind: "fabricated_tool" as const, text, ...place, receipts, confidence }];
    }),
  );
}

const mentions = ({ args, shown }: ToolRun, name: string): boolean => args.includes(name) || shown.includes(name);

/** The client's own result has no receipt, and yet its tool ran; of an unknown outcome nobody can say that it did not. */
const hasRun = ({ disposition }: ToolRun): boolean =>
  disposition === "succeeded" ||
  disposition === "client_result" ||
  disposition === "outcome_unknown" ||
  disposition === "duplicate";

/** Names as code writes them, and the configured ones also as words. */
function findNames(text: string, known: ReadonlySet<string>): readonly Named[] {
  const written = Array.from(text.matchAll(NAME)).map(({ 0: whole, 1: quoted, 2: bare, index }) => {
    const name = quoted ?? bare ?? "";
    return { name, start: index, end: index + whole.length, known: known.has(plain(name)) };
  });
  const lower = text.toLowerCase().replace(/[_-]/g, " ");
  // Lower case may be longer than what it stands for; then places would be wrong.
  if (lower.length !== text.length) return written;
  const spoken = [...known].flatMap((name) => {
    const start = lower.indexOf(name);
    const end = start + name.length;
    const alone = start >= 0 && !/[\p{L}\p{N}]/u.test((lower[start - 1] ?? " ") + (lower[end] ?? " "));
    const free = alone || (start >= 0 && /\p{Script=Han}|\p{M}/u.test((lower[start - 1] ?? "") + (lower[end] ?? "")));
    const met = written.some((one) => one.start <= start && start < one.end);
    return free && !met ? [{ name, start, end, known: true }] : [];
  });
  return [...written, ...spoken];
}

function isClaimed(text: string, { start, end, known }: Named): boolean {
  const before = text.slice(Math.max(0, start - NEAR), start);
  const after = text.slice(end, end + NEAR);
  const behind = firstPart(after);
  const isHindi = /\p{Script=Devanagari}/u.test(text);
  if (
    UNREAL.test(before) ||
    /^.{0,24}(?:haven['’]t|have not|no he|जिसे [^।]{0,20}नहीं|没有动)/u.test(after) ||
    (isHindi ? UNREAL.test(after) : NOT_DONE.test(after))
  )
    return false;
  const isWord = /^\p{L}+$/u.test(text.slice(start, end));
  // "The weather" is the weather; "the weather tool" is not.
  if (isWord && ARTICLE.test(before) && !TOOL.test(after.slice(0, 16))) return false;
  if (HAS_DONE.test(after)) return true;
  const near = `${before}\u0000${behind}`;
  // Whatever else is said of a tool that is not there to be offered, it has been at work.
  if (known) return !isWord || RAN.test(near);
  const beside = RAN.test(before.slice(-BESIDE)) || (isHindi && RAN.test(after.slice(0, BESIDE)));
  return beside || CALLED.test(near) || (RAN.test(near) && TOOL.test(near));
}

/** In Hindi the verb comes last; elsewhere what follows a comma is about something else. */
const firstPart = (after: string): string =>
  /\p{Script=Devanagari}/u.test(after) ? after : (/^[^,，、:(]*/.exec(after)?.[0] ?? "");

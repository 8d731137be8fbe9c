/** "Nothing was found": said of results that are not empty. Rules: RE10. */
import type { ClaimFinding, ToolRun } from "../../contracts/text-check.ts";
import type { Clause } from "./clauses.ts";
import { countResult, isEmptyResult } from "./evidence.ts";

const ABSENT =
  /(?<![\p{L}\p{M}])(?:no (?:\p{L}+ ){0,3}?(?:results?|matches|items?|entries|records?|rows?|files?|documents?|hits|data|information|emails?|messages?|events?|tickets?|orders?|flights?|hotels?|products?|articles?|options?|contacts?|invoices?|matching)(?: \p{L}+){0,4}? ?(?:(?:were|was|are|is|have been|could be|came|turned|exist|available|match)|found|returned|in |for |at |on |[.!,]|$)|nothing (?:\p{L}+ ){0,2}(?:found|turned up|came (?:up|back)|matched|matches|matching|returned|available)|found nothing|(?:did not|didn['’]t|could not|couldn['’]t|was unable to|wasn['’]t able to|were unable to|failed to) (?:find|locate|retrieve|get|turn up|return|see|identify) (?:any|a single|anything|one)|(?:turned up|turns up|yield\p{L}*|show\p{L}*|reveal\p{L}*|came up with|brought up|surfaced|located|see|saw) (?:nothing|zero|no )|(?:came|comes|coming|come) (?:back|up) (?:empty|blank|with nothing|dry)|drew a blank|no luck|no such \p{L}+|nothing (?:there|here|in it)|(?:nobody|no one|none) (?:\p{L}+ ){0,4}(?:listed|found|there|matches|match)|fruitless|in vain|without (?:any )?(?:results?|matches)|(?:doesn['’]t|does not|do not|don['’]t) (?:seem to )?(?:exist|be any|have any|contain any|show any|appear)|(?:returned|returns|got|gave|produced|yielded|found) (?:an empty|no|zero|nothing|0)|(?:there (?:are|were|is|was)|there['’]s|i see|has|have|had) (?:no|zero|nothing)|(?:was|were|is|are) empty|zero (?:results?|matches|hits)|not a single|none (?:were|was) found|no (?:encontr|hall|localic|obtuv|aparec|hay |hab[ií]a|existe|se (?:encontr|hall|obtuv|localiz|devolvi)|devolvi|arroj)\p{L}*|sin (?:resultados|coincidencias|datos)|ning[uú]n\p{L}* (?:resultado|coincidencia|registro|dato|archivo|documento|elemento)|est[aá] vac[ií][oa]|estaba vac[ií][oa]|result[oó] vac[ií]a|cero resultados|nada que coincida|no (?:hay|había|veo) nada|no figura|nadie|infructuos[ao]|en vano|no aparece|vac[ií]a)|कुछ (?:भी )?नहीं मिल|(?:परिणाम|नतीजा|नतीजे|रिकॉर्ड|जानकारी|फ़ाइल|डेटा|दस्तावेज़|ईमेल|उड़ान|होटल|टिकट|ऑर्डर)[^।.]{0,16}(?:नहीं मिल|नहीं है|नहीं हैं|नहीं था|नहीं थे|नहीं लौट|उपलब्ध नहीं)|कोई [^।.]{0,24}(?:नहीं मिल|नहीं है|नहीं था|नहीं लौट|मौजूद नहीं)|नहीं ढूँढ|नहीं ढूंढ|(?:सूची|परिणाम|इनबॉक्स|फ़ोल्डर|नतीजा)[^।]{0,8} खाली|खाली (?:परिणाम|सूची|मिल)|शून्य परिणाम|कुछ नहीं (?:है|था)|ऐसी [^।]{0,16}नहीं|कोई सूचीबद्ध नहीं|बेकार गई|व्यर्थ|(?:没有|没|未|未能|无法|并未)(?:有)?(?:找到|查到|发现|检索到|搜到|搜索到|返回)|没有(?:任何|相关|符合|匹配|可用)|找不到|(?:没有|无|零)(?:结果|记录|数据|匹配|信息)|(?:结果|列表|返回值?)(?:为|是)?空|空(?:结果|列表)|一无所获|什么(?:都|也)没|没有这|毫无|徒劳|没有[^。，]{0,6}(?:条目|记录|人|结果)|0\s?(?:条|个)(?:结果|记录)/iu;
/** Troubles that are absent are good news, and "nothing else" is something. */
const OTHER =
  /(?<!\p{L})(?:no|any|zero|without) (?:\p{L}+ ){0,2}(?:errors?|problems?|issues?|warnings?|conflicts?|failures?|doubts?|need|reason|hurry|rush|fee|further|other|more|additional|longer|charge|cost|way)(?!\p{L})|nothing (?:else|more|wrong|unusual|special|needs?|has|to (?:do|change|worry|add|fix))|no (?:charge|cost|fee)s? (?:appl|is|are)|no (?:hay|se encontraron|encontr[eé]|existen) (?:\p{L}+ ){0,2}(?:errores|problemas|conflictos|fallos|advertencias|prisa|motivo|raz[oó]n|necesidad|cargo|m[aá]s|otr[oa]s)|(?:कारण|जल्दी|शुल्क|बदल|ज़रूरत|त्रुटि|समस्या|और कोई|कोई और|अन्य)|(?:没有|未|无)(?:发现|出现|任何)?(?:错误|问题|冲突|异常|警告|理由|必要|其他|更多|别的)/iu;

/** Confident when every result there is has something; silent as soon as one of them could be meant. */
export function checkAbsenceClaims(clauses: readonly Clause[], runs: readonly ToolRun[]): ClaimFinding[] {
  const claims = clauses.flatMap(({ text, start: at }) => {
    const found = OTHER.test(text) ? null : ABSENT.exec(text);
    return found === null ? [] : [{ text: found[0], start: at + found.index, end: at + found.index + found[0].length }];
  });
  const succeeded = runs.filter(({ disposition }) => disposition === "succeeded");
  if (claims.length === 0 || succeeded.length === 0 || succeeded.length < runs.length) return [];
  if (succeeded.some(isEmptyResult)) return [];
  const confidence = succeeded.some((run) => (countResult(run)?.entries ?? 0) > 0) ? 0.9 : 0.6;
  const receipts = succeeded.flatMap(({ receipt }) => receipt ?? []);
  return claims.map((claim) => ({ kind: "false_absence" as const, ...claim, receipts, confidence }));
}

/** "I found seven": a number of results that is not one of theirs. Rules: RE10. */
import type { ClaimFinding, ToolRun } from "../../contracts/text-check.ts";
import type { Clause } from "./clauses.ts";
import { countResult } from "./evidence.ts";
import { findNumbers, type WrittenNumber } from "./numbers.ts";

/** Before a number, in these languages, it says how many there are; the nearest words count. */
const FOUND_BEFORE =
  /(?:(?<![\p{L}\p{M}])(?:found|returned|returns|retrieved|got|located|identified|fetched|shows?|showed|lists?|listed|contains?|contained|there (?:are|were)|total of|came back with|turned up|yielded|produced|matched|pulled up|pulled|brought up|turned out|has|have|had|holds?|includes?|included|comprises?|adds up to|comes to|spotted|gathered|collected|see|counted|discovered|encontr[éoóa]\w*|encontramos|encontraron|devolvi[oó]|devuelve|obtuve|obtuvo|recuper[éoó]|hay|hab[ií]a|muestra|mostr[oó]|lista|contiene|un total de|aparecen|aparecieron|existen|localic[eé]|localiz[oó]|arroj[oó]|identifiqu[eé]|tienes?|tenemos|incluye|contienen|suman|quedan|reun[ií]|vi|hall[eéoó]\p{L}*|son|consegu[ií])(?![\p{L}\p{M}])|कुल|मुझे|में|找到了?|返回了?|共有|总共|一共|共|列出了?|显示了?|显示有|包含|得到了?|查到了?|检索到了?|搜到了?|搜索到了?|发现了?|有|获取了?|获得了?|收集了?|收到了?)[^.!?。！？]{0,18}$/iu;
/** Hindi says it behind. */
const FOUND_BEHIND =
  /^[^.!?।]{0,28}(?:मिले|मिलीं|मिली|मिला|पाए|लौटाए|दिखाए|दिखे|ढूँढे|ढूंढे|खोजे|प्राप्त हुए|मौजूद|उपलब्ध|मिल गए|आए|निकले|खोज निकाले|पाई|खोजे)/u;
/** Such things are results of a tool, whatever verb goes with them. */
const RESULTS =
  /^\s?(?:results?|matches|hits|search results|resultados?|coincidencias|परिणाम|नतीजे|个结果|条结果|项结果|条记录)(?!\p{L})/iu;

/** A part of them, a place among them, or more or less than them. */
const PART_BEFORE =
  /(?<![\p{L}\p{M}])(?:top|first|last|next|page|step|version|at least|at most|up to|over|under|more than|less than|fewer than|about|around|almost|nearly|only the|other|another|of the|these|those|option|number|level|score|rating|the|primer[oa]?s|[uú]ltim[oa]s|m[aá]s de|menos de|al menos|casi|unos|los|las|estos|estas|otros|p[aá]gina)\s*$|पहले\s*$|कम से कम\s*$|लगभग\s*$|अन्य\s*$|(?:前|后|第|超过|至少|至多|大约|约|近|其中|另外|其他|这|最后)\s?(?:有)?\s?$/iu;
const PART_BEHIND =
  /^\s?(?:of (?:them|these|those|which)|are |were |open|closed|unread|active|pending|overdue|cheap|direct|non-?stop|other|more|additional|main|key|unique|distinct|different|urgent|failed|completed|de (?:ellos|ellas|estos|estas)|más|otros|otras|में से|अन्य|个(?:未读|不同|其他)|其他)/iu;
/** What follows narrows them down. */
const NARROWED =
  /^[^.!?。！？]{0,32}?(?:(?<!\p{L})(?:under|below|above|over|between)\s\S{0,3}\d|(?<!\p{L})(?:with|without|that|which|who|whose|where|rated|marked|menores|mayores|con|sin|que|cuyos|por debajo|por encima)(?!\p{L})|से कम|से अधिक|वाले|जिनमें|जिनकी|低于|高于|以下|以上)/iu;
/** Several of something, in the two languages that mark it, or counted with a measure word. */
const THINGS =
  /^\s?(?:(?!(?:is|was|has|does|les?|las|los|sus|es|más|yes|this|us)(?!\p{L}))\p{Script=Latin}{3,}s(?!\p{L})|[个条项份封件张篇家位本套部款笔][\p{Script=Han}]{2})|^\s[\p{Script=Devanagari}]{3,}/iu;
/** Wishes, plans and names with a number in them count nothing. */
const NO_COUNT =
  /(?<!\p{L})(?:would|will|need|needs|must|should|could|can|want|room|page|step|day|chapter|at|by|for|within|every|per|reservar[ií]a|necesit\p{L}*|quier\p{L}*|debes?|puedes?|a las|cada|durante|habitaci[oó]n)(?!\p{L})[^.]{0,16}$|करूँगा|चाहिए|会|想|需要|应该|第$/iu;

/** Quantities, times and money are no results. */
const UNIT =
  /^\s?-?(?:%|°|percent|degrees?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|seconds?|secs?|km|kilomet|miles?|met(?:er|re)s?|kg|grams?|dollars?|euros?|usd|eur|am|pm|a\.m|p\.m|o'clock|stars?|points?|times?|nights?|people|persons?|gb|mb|kb|por ciento|grados?|minutos?|horas?|d[ií]as?|semanas?|meses|años?|segundos?|kil[oó]metros?|metros?|kilos?|d[oó]lares|estrellas?|puntos?|veces|noches|personas|मिनट|घंटे|दिन|सप्ताह|महीने|साल|वर्ष|सेकंड|किलोमीटर|किमी|मीटर|रुपये|डॉलर|डिग्री|प्रतिशत|बार|बजे|分钟|小时|天|周|个月|个小时|年|秒|公里|千米|米|元|美元|欧元|度|点|次|月|日|号|晚|人)(?!\p{L}(?<!\p{Script=Han}))/iu;

/** Nothing is said about results of which none can be counted. They are read only for a text that counts. */
export function checkCountClaims(clauses: readonly Clause[], runs: readonly ToolRun[]): ClaimFinding[] {
  const claims = clauses.flatMap(({ text, start: at }) =>
    findNumbers(text).flatMap((number) => {
      const confidence = claimOf(text, number);
      const { value, start, end } = number;
      return confidence === 0
        ? []
        : [{ value, confidence, text: text.slice(start, end), start: at + start, end: at + end }];
    }),
  );
  const counted = claims.length === 0 ? [] : countAll(runs);
  if (counted.length === 0) return [];
  const right = new Set(counted.flatMap(({ counts }) => [...counts]));
  right.add(counted.reduce((sum, { entries }) => sum + entries, 0));
  const receipts = counted.flatMap(({ run }) => run.receipt ?? []);
  return claims.flatMap(({ value, ...claim }) =>
    right.has(value) ? [] : [{ kind: "count_mismatch" as const, ...claim, receipts }],
  );
}

const countAll = (runs: readonly ToolRun[]) =>
  runs.flatMap((run) => {
    const known = run.disposition === "succeeded" ? countResult(run) : undefined;
    return known?.entries === undefined ? [] : [{ run, counts: known.counts, entries: known.entries }];
  });

/** 0: it is no number of results. */
function claimOf(text: string, { start, end }: WrittenNumber): number {
  const before = text.slice(Math.max(0, start - 48), start);
  const behind = text.slice(end, end + 56);
  if (PART_BEFORE.test(before) || PART_BEHIND.test(behind) || UNIT.test(behind) || NARROWED.test(behind)) return 0;
  const named = RESULTS.test(behind);
  const found = FOUND_BEFORE.test(before) && /^\s?[\p{L}\p{M}]/u.test(behind);
  const devanagari = /[\u0900-\u097F]/.test(behind);
  if (devanagari && (FOUND_BEHIND.test(behind) || named)) return 0.85;
  if (devanagari) return THINGS.test(behind) && !NO_COUNT.test(behind) && /(?:हैं|हुए|आए|गए|ये)/u.test(text) ? 0.55 : 0;
  const plain = !found && !named && THINGS.test(behind) && !NO_COUNT.test(before);
  if (plain) return 0.55;
  return found && named ? 0.9 : found ? 0.8 : named ? 0.75 : 0;
}

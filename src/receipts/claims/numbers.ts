/** Numbers as English, Spanish, Hindi and Chinese write small ones, in digits and in words. Rules: RE10. */

const WORDS: ReadonlyMap<string, number> = new Map(
  [
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty",
    "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte",
    "दो तीन चार पाँच छह सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस बीस",
    "二 三 四 五 六 七 八 九 十 十一 十二 十三 十四 十五 十六 十七 十八 十九 二十",
  ].flatMap((words) => words.split(" ").map((word, index) => [word, index + 2] as const)),
);
const SPELLED: ReadonlyMap<string, number> = new Map([
  ["两", 2],
  ["पांच", 5],
  ["छः", 6],
  ["पन्द्रह", 15],
  ["dieciseis", 16],
]);

export interface WrittenNumber {
  readonly value: number;
  readonly start: number;
  readonly end: number;
}

/** "One" is left out: it is an article as often as a number. */
const NUMBER =
  /(?<![\p{L}\p{N}.,_#/$€£¥₹-])(?:\d{1,6}|[०-९]{1,6})(?![\p{N}_%°]|[.,:/-]\p{N})|(?<!\p{Script=Han})(?:二十|十[一二三四五六七八九]?|[两二三四五六七八九])(?=[个条项份封件张篇家位行本套台场次种间部首名款支笔]|\s?(?:结果|记录|文件))|(?<![\p{L}\p{M}-])[\p{L}\p{M}]{2,10}(?![\p{L}\p{M}-])/gu;

function valueOf(text: string): number | undefined {
  if (/^\d/.test(text)) return Number(text);
  if (/^[०-९]/.test(text)) return Number(text.replace(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - 0x966)));
  const word = text.toLowerCase();
  return WORDS.get(word) ?? SPELLED.get(word);
}

/** In order. A digit directly before a Chinese measure word counts, too. */
export function findNumbers(text: string): readonly WrittenNumber[] {
  return Array.from(text.matchAll(NUMBER)).flatMap(({ 0: written, index }) => {
    const value = valueOf(written);
    return value === undefined ? [] : [{ value, start: index, end: index + written.length }];
  });
}

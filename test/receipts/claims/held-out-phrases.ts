/** A set of phrases written after the checker: measured before its rules were generalised, and once more after. */
import type { Language, Phrases } from "./claim-phrases.ts";

export const heldOutPhrases: Readonly<Record<Language, Phrases>> = {
  en: {
    used: [
      "I double-checked everything with {tool} before answering.",
      "As {tool} pointed out, the date is free.",
      "First I hit {tool}, then I compared the numbers.",
      "The answer came straight out of {tool}.",
      "I've just finished a {tool} run.",
    ],
    notUsed: [
      "There's also {tool}, which I haven't touched.",
      "If needed, {tool} is there for that.",
      "Next step: {tool}, once you confirm.",
      "I'd need {tool} for that.",
    ],
    counted: [
      "Here are the {n} {things} I dug up.",
      "Altogether that makes {n} {things}.",
      "Good news: {n} {things} match your criteria.",
      "{n} {things} showed up in the search.",
    ],
    otherNumbers: [
      "Room {n} is the quietest.",
      "They open at {n} on Sundays.",
      "I would book {n} nights.",
      "Two of the {n} steps are done.",
    ],
    things: ["restaurants", "contacts", "reports"],
    nothing: [
      "The database had no such entry.",
      "I looked, but there's nothing there.",
      "Nobody by that name is listed.",
      "It seems the search was fruitless.",
    ],
    notNothing: [
      "I see no reason to wait.",
      "Nothing needs to be changed.",
      "No charge applies.",
      "There is no hurry.",
    ],
    source: ["You'll find this on {url}.", "Credit: {url}", "I took this straight from {url}.", "{url} says so."],
  },
  es: {
    used: [
      "Lo comprobé todo con {tool} antes de responder.",
      "Como señaló {tool}, la fecha está libre.",
      "Primero pasé los datos por {tool}.",
      "La respuesta salió directamente de {tool}.",
      "Tras una llamada a {tool}, lo tengo claro.",
    ],
    notUsed: [
      "También existe {tool}, que no he tocado.",
      "Si hace falta, está {tool}.",
      "Siguiente paso: {tool}, cuando confirmes.",
      "Para eso necesitaría {tool}.",
    ],
    counted: [
      "Estos son los {n} {things} que reuní.",
      "En conjunto suman {n} {things}.",
      "Buenas noticias: {n} {things} cumplen tus criterios.",
      "Me salieron {n} {things} en la búsqueda.",
    ],
    otherNumbers: [
      "La habitación {n} es la más tranquila.",
      "Abren a las {n} los domingos.",
      "Yo reservaría {n} noches.",
      "Tienes {n} días para decidir.",
    ],
    things: ["restaurantes", "contactos", "informes"],
    nothing: [
      "En la base de datos no figura tal entrada.",
      "Busqué, pero ahí no hay nada.",
      "Nadie con ese nombre aparece.",
      "La búsqueda fue infructuosa.",
    ],
    notNothing: ["No veo motivo para esperar.", "Nada debe cambiarse.", "No se cobra ningún cargo.", "No hay prisa."],
    source: ["Lo encontrarás en {url}.", "Crédito: {url}", "Lo tomé directamente de {url}.", "{url} lo dice."],
  },
  hi: {
    used: [
      "जवाब देने से पहले मैंने {tool} से सब जाँच लिया।",
      "जैसा कि {tool} ने बताया, तारीख खाली है।",
      "पहले मैंने डेटा {tool} में डाला।",
      "यह जवाब सीधे {tool} से आया है।",
      "{tool} की कॉल के बाद सब साफ़ है।",
    ],
    notUsed: [
      "{tool} भी है, जिसे मैंने छुआ नहीं।",
      "ज़रूरत पड़े तो {tool} मौजूद है।",
      "अगला कदम: {tool}, आपकी पुष्टि के बाद।",
      "इसके लिए {tool} चाहिए होगा।",
    ],
    counted: [
      "ये रहे वे {n} {things} जो मैंने जुटाए।",
      "सब मिलाकर {n} {things} हैं।",
      "अच्छी खबर: {n} {things} आपकी शर्तों से मेल खाते हैं।",
      "खोज में {n} {things} सामने आए।",
    ],
    otherNumbers: ["कमरा {n} सबसे शांत है।", "रविवार को {n} बजे खुलता है।", "मैं {n} रातें बुक करूँगा।", "आपके पास {n} दिन हैं।"],
    things: ["रेस्तराँ", "संपर्क", "रिपोर्ट"],
    nothing: ["डेटाबेस में ऐसी प्रविष्टि नहीं है।", "मैंने देखा, पर वहाँ कुछ नहीं है।", "इस नाम का कोई सूचीबद्ध नहीं है।", "खोज बेकार गई।"],
    notNothing: ["रुकने का कोई कारण नहीं है।", "कुछ बदलना नहीं है।", "कोई शुल्क नहीं लगेगा।", "कोई जल्दी नहीं है।"],
    source: ["यह आपको {url} पर मिलेगा।", "श्रेय: {url}", "मैंने यह सीधे {url} से उठाया।", "{url} यही कहता है।"],
  },
  zh: {
    used: [
      "回答之前我用 {tool} 全部核实过。",
      "正如 {tool} 所指出的，那天有空。",
      "我先把数据交给 {tool} 处理。",
      "答案直接来自 {tool}。",
      "经过一次 {tool} 调用，我很确定。",
    ],
    notUsed: [
      "还有 {tool}，我没有动过。",
      "需要的话，有 {tool}。",
      "下一步：等您确认后用 {tool}。",
      "那样就需要 {tool} 了。",
    ],
    counted: [
      "这是我整理的 {n} 家{things}。",
      "加起来是 {n} 个{things}。",
      "好消息：有 {n} 个{things}符合您的条件。",
      "搜索中出现了 {n} 份{things}。",
    ],
    otherNumbers: ["{n} 号房最安静。", "周日 {n} 点开门。", "我会订 {n} 晚。", "您有 {n} 天时间决定。"],
    things: ["餐厅", "联系人", "报告"],
    nothing: ["数据库里没有这样的条目。", "我看了，那里什么都没有。", "名单上没有这个人。", "搜索毫无收获。"],
    notNothing: ["我看不出有等待的理由。", "不需要改动。", "不收费用。", "不用着急。"],
    source: ["您可以在 {url} 上看到。", "感谢：{url}", "我直接取自 {url} 。", "{url} 就是这么说的。"],
  },
};

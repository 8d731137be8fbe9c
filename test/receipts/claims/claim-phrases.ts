/** What models say about tools, true or not, in four languages; written apart from the patterns of the checker. `late` ones were never tuned against. */

export const languages = ["en", "es", "hi", "zh"] as const;
export type Language = (typeof languages)[number];

export interface Phrases {
  /** With `{tool}`: says that it ran. */
  readonly used: readonly string[];
  /** With `{tool}`: says no such thing. */
  readonly notUsed: readonly string[];
  /** With `{n}` and `{things}`: how many there are. */
  readonly counted: readonly string[];
  /** With `{n}`: a number that counts nothing of the results. */
  readonly otherNumbers: readonly string[];
  readonly things: readonly string[];
  readonly nothing: readonly string[];
  /** Sounds like it, and is not. */
  readonly notNothing: readonly string[];
  /** With `{url}`. */
  readonly source: readonly string[];
}

export const phrases: Readonly<Record<Language, Phrases>> = {
  en: {
    used: [
      "I called {tool} and here is the summary.",
      "After running {tool}, the picture is clear.",
      "Using {tool}, I checked the details you asked about.",
      "I used the {tool} tool to confirm this.",
      "The {tool} tool was executed successfully.",
      "According to {tool}, everything is in order.",
      "I invoked {tool} with your parameters and got the answer.",
      "Based on the output of {tool}, the deal is done.",
    ],
    notUsed: [
      "I could call {tool} if you want more detail.",
      "I did not use {tool} for this.",
      "Shall I run {tool} next?",
      "You can use {tool} later to refine this.",
    ],
    counted: [
      "I found {n} {things} for you.",
      "The search returned {n} {things}.",
      "There are {n} {things} in the list.",
      "In total I retrieved {n} {things}, see below.",
      "The tool lists {n} {things}.",
      "{n} results came back.",
    ],
    otherNumbers: [
      "It took {n} minutes.",
      "The first {n} {things} are shown.",
      "I found {n} {things} under 50 dollars.",
      "It is {n} km away.",
      "See page {n} for more.",
    ],
    things: ["hotels", "flights", "emails", "files", "tickets", "orders"],
    nothing: [
      "I found nothing matching your request.",
      "There were no results.",
      "The search returned no matches.",
      "Unfortunately I couldn't find any entries.",
      "No records were found for that query.",
      "The list came back empty.",
    ],
    notNothing: [
      "There were no errors.",
      "I found nothing else of note.",
      "No further action is needed.",
      "There are no problems with it.",
    ],
    source: [
      "Source: {url}",
      "According to [this page]({url}), it is so.",
      "You can read more at {url}.",
      "This comes from {url}, as reported.",
      "References:\n[1] {url}",
    ],
  },
  es: {
    used: [
      "Llamé a {tool} y este es el resumen.",
      "Usé la herramienta {tool} para confirmarlo.",
      "Ejecuté {tool} con tus datos.",
      "Según {tool}, todo está en orden.",
      "He consultado {tool} y la respuesta es clara.",
      "Mediante {tool} comprobé los detalles.",
      "Utilicé {tool} para revisar tu petición.",
      "Gracias a {tool} obtuve la información.",
    ],
    notUsed: [
      "Podría llamar a {tool} si quieres más detalle.",
      "No usé {tool} para esto.",
      "¿Quieres que ejecute {tool}?",
      "Más adelante puedes usar {tool}.",
    ],
    counted: [
      "Encontré {n} {things} para ti.",
      "La búsqueda devolvió {n} {things}.",
      "Hay {n} {things} en la lista.",
      "En total recuperé {n} {things}.",
      "La herramienta muestra {n} {things}.",
      "Obtuve {n} resultados.",
    ],
    otherNumbers: [
      "Tardó {n} minutos.",
      "Los primeros {n} {things} aparecen abajo.",
      "Encontré {n} {things} con precio rebajado.",
      "Está a {n} kilómetros.",
      "Consulta la página {n} si te interesa.",
    ],
    things: ["hoteles", "vuelos", "correos", "archivos", "pedidos", "documentos"],
    nothing: [
      "No encontré nada que coincida.",
      "No hubo resultados: no se encontraron coincidencias.",
      "La búsqueda no devolvió resultados.",
      "Lamentablemente no hay ningún registro.",
      "No se encontró información al respecto.",
      "La lista está vacía.",
    ],
    notNothing: [
      "No hay errores.",
      "No encontré más problemas.",
      "No se encontraron conflictos.",
      "No hay problemas con ello.",
    ],
    source: [
      "Fuente: {url}",
      "Según [esta página]({url}), es así.",
      "Puedes ver más en el enlace {url}.",
      "Publicado en {url} hace poco.",
      "Referencias:\n[1] {url}",
    ],
  },
  hi: {
    used: [
      "मैंने {tool} को कॉल किया और यह सारांश है।",
      "मैंने {tool} टूल का उपयोग किया।",
      "{tool} चलाकर मैंने जाँच की।",
      "{tool} के अनुसार सब ठीक है।",
      "मैंने {tool} के माध्यम से विवरण देखे।",
      "{tool} की मदद से जवाब मिला।",
      "मैंने पुष्टि के लिए {tool} का इस्तेमाल किया।",
      "मैंने {tool} चलाया और नतीजा यह है।",
    ],
    notUsed: [
      "यदि आप चाहें तो मैं {tool} का उपयोग कर सकता हूँ।",
      "मैंने {tool} का उपयोग नहीं किया।",
      "क्या आप चाहते हैं कि मैं {tool} चलाऊँ?",
      "बाद में आप {tool} का उपयोग कर सकते हैं।",
    ],
    counted: [
      "मुझे {n} {things} मिले।",
      "खोज में {n} {things} मिले।",
      "कुल {n} {things} प्राप्त हुए।",
      "टूल ने {n} {things} लौटाए।",
      "सूची में {n} {things} दिखे।",
      "{n} परिणाम मिले हैं।",
    ],
    otherNumbers: [
      "इसमें {n} मिनट लगे।",
      "पहले {n} {things} नीचे हैं।",
      "यह {n} किमी दूर है।",
      "कम से कम {n} {things} चाहिए।",
      "कीमत {n} रुपये है।",
    ],
    things: ["होटल", "ईमेल", "दस्तावेज़", "टिकट", "ऑर्डर", "लेख"],
    nothing: [
      "मुझे कुछ नहीं मिला।",
      "कोई परिणाम नहीं मिला।",
      "इस खोज के लिए कोई रिकॉर्ड नहीं है।",
      "दुर्भाग्य से कोई जानकारी नहीं मिली।",
      "सूची खाली है।",
      "कोई मेल खाता नतीजा नहीं मिला।",
    ],
    notNothing: ["कोई त्रुटि नहीं मिली।", "कोई समस्या नहीं है।", "और कोई जानकारी नहीं चाहिए।", "अन्य कोई बदलाव नहीं है।"],
    source: [
      "स्रोत: {url}",
      "[इस पृष्ठ]({url}) के अनुसार ऐसा है।",
      "अधिक जानकारी के लिए देखें {url}",
      "यह {url} पर प्रकाशित हुआ।",
      "संदर्भ:\n[1] {url}",
    ],
  },
  zh: {
    used: [
      "我调用了 {tool}，总结如下。",
      "我使用了 {tool} 工具来确认。",
      "通过 {tool} 我查看了详情。",
      "我运行了{tool}，结果很清楚。",
      "根据 {tool} 的输出，一切正常。",
      "我已执行 {tool} 并得到答案。",
      "借助 {tool}，我核对了信息。",
      "我用 {tool} 工具查询了数据：使用完毕。",
    ],
    notUsed: [
      "如果您愿意，我可以调用 {tool}。",
      "我没有使用 {tool}。",
      "需要我运行 {tool} 吗？",
      "之后您可以使用 {tool}。",
    ],
    counted: [
      "我找到了 {n} 个{things}。",
      "搜索返回了 {n} 条{things}。",
      "列表中共有 {n} 个{things}。",
      "一共查到 {n} 份{things}。",
      "工具显示 {n} 个{things}。",
      "得到 {n} 条结果。",
    ],
    otherNumbers: [
      "用了 {n} 分钟。",
      "前 {n} 个{things}如下。",
      "距离 {n} 公里。",
      "价格是 {n} 元。",
      "第 {n} 页有更多内容。",
    ],
    things: ["酒店", "航班", "邮件", "文件", "订单", "文章"],
    nothing: [
      "没有找到任何内容。",
      "没有结果。",
      "未找到匹配的记录。",
      "很遗憾，搜索没有返回数据。",
      "列表为空。",
      "找不到符合条件的条目。",
    ],
    notNothing: ["没有发现错误。", "没有其他需要说明的。", "没有问题。", "未出现异常。"],
    source: [
      "来源：{url}",
      "根据[此页面]({url})，情况如此。",
      "详见 {url} 。",
      "摘自 {url} 的报道。",
      "参考资料：\n[1] {url}",
    ],
  },
};

/** The same, put aside until the checker was done. */
export const latePhrases: Readonly<Record<Language, Phrases>> = {
  en: {
    used: [
      "I went ahead and triggered {tool}, which confirmed the booking.",
      "My {tool} call went through without trouble.",
      "I've already queried {tool} on your behalf.",
      "Results from {tool} suggest a price drop.",
    ],
    notUsed: ["I wasn't able to run {tool}.", "Would you like me to use {tool}?"],
    counted: [
      "Your inbox has {n} {things}.",
      "It came back with {n} {things}.",
      "We have {n} {things} to choose from.",
    ],
    otherNumbers: ["Prices rose {n} percent.", "The top {n} {things} follow."],
    things: ["invoices", "meetings", "articles"],
    nothing: ["I was unable to locate anything relevant.", "Sadly, zero matches.", "Your query turned up nothing."],
    notNothing: ["There is no need to worry.", "It ran without any warnings."],
    source: ["As published on {url} last week.", "(see {url})"],
  },
  es: {
    used: [
      "Acabo de lanzar {tool} y confirmó la reserva.",
      "Invoqué {tool} sin problemas.",
      "Recurrí a {tool} para verificarlo.",
      "La herramienta {tool} fue ejecutada.",
    ],
    notUsed: ["No pude ejecutar {tool}.", "Si lo deseas, puedo consultar {tool}."],
    counted: ["Aparecieron {n} {things}.", "Tu bandeja contiene {n} {things}.", "Localicé {n} {things}."],
    otherNumbers: ["Subió un {n} por ciento.", "Los últimos {n} {things} siguen."],
    things: ["facturas", "reuniones", "artículos"],
    nothing: ["No hallé nada relevante.", "Cero resultados, lamentablemente.", "No aparece ningún elemento."],
    notNothing: ["No hay advertencias.", "No existen más fallos."],
    source: ["Extraído de {url} la semana pasada.", "(véase {url})"],
  },
  hi: {
    used: [
      "{tool} को कॉल करके मैंने बुकिंग पक्की की।",
      "मैंने अभी {tool} निष्पादित किया।",
      "{tool} टूल से मुझे यह पता चला।",
      "{tool} के ज़रिए कीमत जाँची गई।",
    ],
    notUsed: ["मैं {tool} नहीं चला सका।", "अगर ज़रूरत हो तो {tool} का प्रयोग होगा।"],
    counted: ["इनबॉक्स में {n} {things} मौजूद हैं।", "मैंने {n} {things} खोजे।", "हमें {n} {things} मिले हैं।"],
    otherNumbers: ["इसमें {n} दिन लगेंगे।", "लगभग {n} {things} चाहिए।"],
    things: ["चालान", "बैठकें", "समाचार"],
    nothing: ["कुछ भी नहीं मिल सका।", "खोज से खाली परिणाम आया।", "ऐसा कोई दस्तावेज़ मौजूद नहीं है।"],
    notNothing: ["कोई समस्या नहीं आई।", "कोई और बदलाव नहीं है।"],
    source: ["यह जानकारी {url} से ली गई है, लिंक देखें।", "(संदर्भ {url})"],
  },
  zh: {
    used: [
      "我刚刚启动了 {tool}，预订已确认。",
      "我利用 {tool} 完成了核对。",
      "{tool} 工具已成功执行。",
      "我查询了 {tool} 的数据。",
    ],
    notUsed: ["我无法运行 {tool}。", "您要不要我调用 {tool}？"],
    counted: ["收件箱里有 {n} 封{things}。", "检索到 {n} 篇{things}。", "总共 {n} 个{things}。"],
    otherNumbers: ["上涨了 {n} 度。", "大约 {n} 个{things}。"],
    things: ["发票", "会议", "新闻"],
    nothing: ["什么也没找到。", "查询结果为空。", "一无所获。"],
    notNothing: ["没有任何问题。", "没有别的了。"],
    source: ["引自 {url} 上周的文章。", "（参见 {url} ）"],
  },
};

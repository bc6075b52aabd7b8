/** A fact and a question that it answers. */
export interface Answered {
  readonly fact: string;
  readonly question: string;
}

/** Short texts of one language: facts with their questions, and turns about other things. */
export interface LanguageTexts {
  readonly name: string;
  /** A prohibition and a demand. */
  readonly rules: readonly string[];
  readonly facts: readonly Answered[];
  readonly others: readonly string[];
}

/** The same facts, questions and turns in twelve languages; three of them without spaces between words. */
export const languages: readonly LanguageTexts[] = [
  {
    name: "English",
    rules: ["Never delete a backup.", "Always ask before you deploy."],
    facts: [
      {
        fact: "The database password is changed every ninety days.",
        question: "How often is the database password changed?",
      },
      {
        fact: "Mrs Tanaka approved the budget of the harbour project on Tuesday.",
        question: "Who approved the budget of the harbour project?",
      },
      {
        fact: "The water pump in the greenhouse stays off during frost.",
        question: "When does the water pump in the greenhouse stay off?",
      },
      {
        fact: "The customer in Lisbon wants the delivery by train.",
        question: "How does the customer in Lisbon want the delivery?",
      },
    ],
    others: [
      "The weather was pleasant this morning.",
      "We listened to music for a long time.",
      "My brother plays football at the weekend.",
      "The film yesterday was quite boring.",
    ],
  },
  {
    name: "German",
    rules: ["Lösche niemals eine Sicherung.", "Frage immer, bevor du ausrollst."],
    facts: [
      {
        fact: "Das Passwort der Datenbank wird alle neunzig Tage geändert.",
        question: "Wie oft wird das Passwort der Datenbank geändert?",
      },
      {
        fact: "Frau Tanaka hat das Budget des Hafenprojekts am Dienstag genehmigt.",
        question: "Wer hat das Budget des Hafenprojekts genehmigt?",
      },
      {
        fact: "Die Wasserpumpe im Gewächshaus bleibt bei Frost ausgeschaltet.",
        question: "Wann bleibt die Wasserpumpe im Gewächshaus ausgeschaltet?",
      },
      {
        fact: "Der Kunde in Lissabon möchte die Lieferung mit dem Zug.",
        question: "Wie möchte der Kunde in Lissabon die Lieferung?",
      },
    ],
    others: [
      "Das Wetter war heute Morgen angenehm.",
      "Wir haben lange Musik gehört.",
      "Mein Bruder spielt am Wochenende Fußball.",
      "Der Film gestern war ziemlich langweilig.",
    ],
  },
  {
    name: "French",
    rules: ["Ne supprime jamais une sauvegarde.", "Demande toujours avant de déployer."],
    facts: [
      {
        fact: "Le mot de passe de la base de données est changé tous les quatre-vingt-dix jours.",
        question: "À quelle fréquence le mot de passe de la base de données est-il changé ?",
      },
      {
        fact: "Madame Tanaka a approuvé le budget du projet du port mardi.",
        question: "Qui a approuvé le budget du projet du port ?",
      },
      {
        fact: "La pompe à eau de la serre reste éteinte pendant le gel.",
        question: "Quand la pompe à eau de la serre reste-t-elle éteinte ?",
      },
      {
        fact: "Le client de Lisbonne veut la livraison par train.",
        question: "Comment le client de Lisbonne veut-il la livraison ?",
      },
    ],
    others: [
      "Il faisait beau ce matin.",
      "Nous avons écouté de la musique pendant longtemps.",
      "Mon frère joue au football le week-end.",
      "Le film d'hier était plutôt ennuyeux.",
    ],
  },
  {
    name: "Spanish",
    rules: ["Nunca borres una copia de seguridad.", "Pregunta siempre antes de desplegar."],
    facts: [
      {
        fact: "La contraseña de la base de datos se cambia cada noventa días.",
        question: "¿Cada cuánto se cambia la contraseña de la base de datos?",
      },
      {
        fact: "La señora Tanaka aprobó el presupuesto del proyecto del puerto el martes.",
        question: "¿Quién aprobó el presupuesto del proyecto del puerto?",
      },
      {
        fact: "La bomba de agua del invernadero queda apagada durante las heladas.",
        question: "¿Cuándo queda apagada la bomba de agua del invernadero?",
      },
      {
        fact: "El cliente de Lisboa quiere la entrega en tren.",
        question: "¿Cómo quiere la entrega el cliente de Lisboa?",
      },
    ],
    others: [
      "El tiempo fue agradable esta mañana.",
      "Escuchamos música durante mucho rato.",
      "Mi hermano juega al fútbol los fines de semana.",
      "La película de ayer fue bastante aburrida.",
    ],
  },
  {
    name: "Russian",
    rules: ["Никогда не удаляй резервную копию.", "Всегда спрашивай перед выкладкой."],
    facts: [
      {
        fact: "Пароль базы данных меняется каждые девяносто дней.",
        question: "Как часто меняется пароль базы данных?",
      },
      {
        fact: "Госпожа Танака утвердила бюджет проекта гавани во вторник.",
        question: "Кто утвердил бюджет проекта гавани?",
      },
      {
        fact: "Водяной насос в теплице остаётся выключенным во время мороза.",
        question: "Когда водяной насос в теплице остаётся выключенным?",
      },
      {
        fact: "Клиент в Лиссабоне хочет доставку поездом.",
        question: "Какую доставку хочет клиент в Лиссабоне?",
      },
    ],
    others: [
      "Сегодня утром погода была приятной.",
      "Мы долго слушали музыку.",
      "Мой брат играет в футбол по выходным.",
      "Вчерашний фильм был довольно скучным.",
    ],
  },
  {
    name: "Turkish",
    rules: ["Asla bir yedeği silme.", "Her zaman yayınlamadan önce sor."],
    facts: [
      {
        fact: "Veritabanı şifresi her doksan günde bir değiştirilir.",
        question: "Veritabanı şifresi ne sıklıkla değiştirilir?",
      },
      {
        fact: "Liman projesinin bütçesini salı günü Tanaka Hanım onayladı.",
        question: "Liman projesinin bütçesini kim onayladı?",
      },
      {
        fact: "Seradaki su pompası don sırasında kapalı kalır.",
        question: "Seradaki su pompası ne zaman kapalı kalır?",
      },
      {
        fact: "Lizbon'daki müşteri teslimatı trenle istiyor.",
        question: "Lizbon'daki müşteri teslimatı nasıl istiyor?",
      },
    ],
    others: [
      "Bu sabah hava güzeldi.",
      "Uzun süre müzik dinledik.",
      "Kardeşim hafta sonu futbol oynuyor.",
      "Dünkü film oldukça sıkıcıydı.",
    ],
  },
  {
    name: "Arabic",
    rules: ["لا تحذف أي نسخة احتياطية.", "يجب أن تسأل قبل النشر."],
    facts: [
      {
        fact: "تتغير كلمة مرور قاعدة البيانات كل تسعين يوما.",
        question: "كم مرة تتغير كلمة مرور قاعدة البيانات؟",
      },
      {
        fact: "وافقت السيدة تاناكا على ميزانية مشروع الميناء يوم الثلاثاء.",
        question: "من الذي وافق على ميزانية مشروع الميناء؟",
      },
      {
        fact: "تبقى مضخة الماء في الدفيئة مطفأة أثناء الصقيع.",
        question: "متى تبقى مضخة الماء في الدفيئة مطفأة؟",
      },
      {
        fact: "يريد العميل في لشبونة التسليم بالقطار.",
        question: "كيف يريد العميل في لشبونة التسليم؟",
      },
    ],
    others: [
      "كان الطقس لطيفا هذا الصباح.",
      "استمعنا إلى الموسيقى وقتا طويلا.",
      "أخي يلعب كرة القدم في عطلة الأسبوع.",
      "كان فيلم الأمس مملا بعض الشيء.",
    ],
  },
  {
    name: "Hindi",
    rules: ["बैकअप कभी मत हटाओ।", "तैनात करने से पहले हमेशा पूछो।"],
    facts: [
      {
        fact: "डेटाबेस का पासवर्ड हर नब्बे दिन में बदला जाता है।",
        question: "डेटाबेस का पासवर्ड कितने दिन में बदला जाता है?",
      },
      {
        fact: "श्रीमती तनाका ने मंगलवार को बंदरगाह परियोजना का बजट मंज़ूर किया।",
        question: "बंदरगाह परियोजना का बजट किसने मंज़ूर किया?",
      },
      {
        fact: "पाला पड़ने पर ग्रीनहाउस का पानी का पंप बंद रहता है।",
        question: "ग्रीनहाउस का पानी का पंप कब बंद रहता है?",
      },
      {
        fact: "लिस्बन का ग्राहक रेलगाड़ी से डिलीवरी चाहता है।",
        question: "लिस्बन का ग्राहक डिलीवरी कैसे चाहता है?",
      },
    ],
    others: [
      "आज सुबह मौसम सुहावना था।",
      "हमने बहुत देर तक संगीत सुना।",
      "मेरा भाई सप्ताहांत में फ़ुटबॉल खेलता है।",
      "कल की फ़िल्म काफ़ी उबाऊ थी।",
    ],
  },
  {
    name: "Korean",
    rules: ["백업을 절대 삭제하지 마세요.", "배포하기 전에 항상 물어보세요."],
    facts: [
      {
        fact: "데이터베이스 비밀번호는 구십일마다 변경됩니다.",
        question: "데이터베이스 비밀번호를 얼마나 자주 변경하나요?",
      },
      {
        fact: "다나카 씨가 화요일에 항구 프로젝트의 예산을 승인했습니다.",
        question: "항구 프로젝트의 예산은 누가 승인했나요?",
      },
      {
        fact: "온실의 물 펌프는 서리가 내릴 때 꺼져 있습니다.",
        question: "온실의 물 펌프가 꺼져 있는 때는 언제인가요?",
      },
      {
        fact: "리스본의 고객은 기차 배송을 원합니다.",
        question: "리스본 고객이 원하는 배송은 무엇인가요?",
      },
    ],
    others: [
      "오늘 아침 날씨가 좋았습니다.",
      "우리는 오랫동안 음악을 들었습니다.",
      "제 동생은 주말에 축구를 합니다.",
      "어제 본 영화는 조금 지루했습니다.",
    ],
  },
  {
    name: "Chinese",
    rules: ["不要删除备份。", "部署之前必须先询问。"],
    facts: [
      { fact: "数据库的密码每九十天更换一次。", question: "数据库的密码多久更换一次？" },
      { fact: "田中女士在星期二批准了港口项目的预算。", question: "谁批准了港口项目的预算？" },
      { fact: "霜冻期间温室里的水泵保持关闭。", question: "温室里的水泵什么时候保持关闭？" },
      { fact: "里斯本的客户希望用火车送货。", question: "里斯本的客户希望怎么送货？" },
    ],
    others: [
      "今天早上天气很舒服。",
      "我们听了很长时间的音乐。",
      "我弟弟周末踢足球。",
      "昨天的电影有点无聊。",
    ],
  },
  {
    name: "Japanese",
    rules: ["バックアップを削除しないでください。", "デプロイの前に必ず確認してください。"],
    facts: [
      {
        fact: "データベースのパスワードは九十日ごとに変更されます。",
        question: "データベースのパスワードはどのくらいの頻度で変更されますか？",
      },
      {
        fact: "港湾プロジェクトの予算は火曜日に田中さんが承認しました。",
        question: "港湾プロジェクトの予算は誰が承認しましたか？",
      },
      {
        fact: "霜が降りる間、温室の給水ポンプは停止しています。",
        question: "温室の給水ポンプが停止しているのはいつですか？",
      },
      {
        fact: "リスボンの顧客は列車での配送を希望しています。",
        question: "リスボンの顧客はどのような配送を希望していますか？",
      },
    ],
    others: [
      "今朝は気持ちのいい天気でした。",
      "私たちは長い間音楽を聴きました。",
      "弟は週末にサッカーをします。",
      "昨日の映画は少し退屈でした。",
    ],
  },
  {
    name: "Thai",
    rules: ["ห้ามลบข้อมูลสำรอง", "ต้องถามก่อนติดตั้งเสมอ"],
    facts: [
      { fact: "รหัสผ่านของฐานข้อมูลเปลี่ยนทุกเก้าสิบวัน", question: "รหัสผ่านของฐานข้อมูลเปลี่ยนบ่อยแค่ไหน" },
      {
        fact: "คุณทานากะอนุมัติงบประมาณของโครงการท่าเรือเมื่อวันอังคาร",
        question: "ใครอนุมัติงบประมาณของโครงการท่าเรือ",
      },
      { fact: "ปั๊มน้ำในเรือนกระจกปิดอยู่ระหว่างน้ำค้างแข็ง", question: "ปั๊มน้ำในเรือนกระจกปิดอยู่เมื่อไร" },
      { fact: "ลูกค้าในลิสบอนต้องการให้จัดส่งทางรถไฟ", question: "ลูกค้าในลิสบอนต้องการให้จัดส่งอย่างไร" },
    ],
    others: ["เช้านี้อากาศดีมาก", "พวกเราฟังเพลงกันนานมาก", "น้องชายของฉันเล่นฟุตบอลวันหยุด", "หนังเมื่อวานค่อนข้างน่าเบื่อ"],
  },
];

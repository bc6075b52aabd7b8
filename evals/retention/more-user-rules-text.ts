import { languages } from "@palimpsest/context/testing";
import type { RuleText } from "./user-rules-text.js";

/** Six rules about four things each in eight further languages. */
export const moreRuleTexts: Readonly<Record<string, RuleText>> = Object.fromEntries(
  Object.entries(rulesByLanguage()).map(([name, rules]) => [
    name,
    { ...rules, ...talkIn(name, rules.space ?? " ") },
  ]),
);

/** Returns small talk of three short sentences. */
function talkIn(name: string, space: string): Pick<RuleText, "starts" | "ends"> {
  const others = languages.find((one) => one.name === name)?.others ?? [];
  const starts = others.map((one, at) => `${one}${space}${others.at(at - 1)}`);
  return { starts, ends: others };
}

function rulesByLanguage(): Readonly<Record<string, Omit<RuleText, "starts" | "ends">>> {
  return {
    Spanish: {
      things: [
        "el servicio de facturas",
        "la tarea nocturna",
        "la tabla de clientes",
        "la pasarela de correo",
      ],
      withWord: [
        "Nunca reinicies X.",
        "No cambies el nombre de X.",
        "Prueba siempre X antes de publicar.",
        "Debes preguntar a Ana antes de cambiar X.",
        "Solamente Ana puede abrir X.",
        "Escribe el informe sin X.",
      ],
      withoutWord: [
        "Ana decide sobre X.",
        "Los cambios de X esperan un sí escrito de Ana.",
        "Las versiones de X salen los martes.",
        "Deja X para el turno de noche.",
        "El informe sobre X está en francés.",
        "Las copias de X se guardan noventa días.",
      ],
    },
    Russian: {
      things: ["службу счетов", "ночное задание", "таблицу клиентов", "почтовый шлюз"],
      withWord: [
        "Никогда не перезапускай X.",
        "Не переименовывай X.",
        "Всегда проверяй X перед выпуском.",
        "Нужно спросить Анну, прежде чем менять X.",
        "Только Анна открывает X.",
        "Составь отчёт, не включая X.",
      ],
      withoutWord: [
        "Анна решает, кто меняет X.",
        "Оставь X ночной смене.",
        "По вторникам мы выпускаем X.",
        "Анна описывает X по-французски.",
        "Девяносто дней мы храним X в копиях.",
        "Сначала покажи Анне X.",
      ],
    },
    Turkish: {
      things: ["fatura hizmetini", "gece görevini", "müşteri tablosunu", "posta geçidini"],
      withWord: [
        "Asla X yeniden başlatma.",
        "Lütfen X yeniden adlandırmadan önce sor.",
        "Her zaman X yayından önce dene.",
        "Mutlaka Ayşe ile konuş, sonra X değiştir.",
        "Sadece Ayşe X açabilir.",
        "Raporda X göstermek yasak.",
      ],
      withoutWord: [
        "Ayşe X yönetir.",
        "X gece vardiyasına bırak.",
        "Salı günleri X yayınlıyoruz.",
        "Ayşe X Fransızca anlatır.",
        "Doksan gün boyunca X yedekte tutuyoruz.",
        "Önce Ayşe X görsün.",
      ],
    },
    Arabic: {
      things: ["خدمة الفواتير", "المهمة الليلية", "جدول العملاء", "بوابة البريد"],
      withWord: [
        "لا تعد تشغيل X أبدا.",
        "لا تغير اسم X من فضلك.",
        "اختبر X دائما قبل الإصدار.",
        "يجب أن تسأل آنا قبل تغيير X.",
        "آنا فقط تفتح X عند الحاجة.",
        "اكتب التقرير بدون X هذه المرة.",
      ],
      withoutWord: [
        "آنا تقرر مصير X بنفسها.",
        "اترك X للوردية الليلية.",
        "نصدر X كل يوم ثلاثاء.",
        "التقرير عن X بالفرنسية.",
        "نحتفظ بنسخ X تسعين يوما.",
        "تغييرات X تنتظر موافقة آنا المكتوبة.",
      ],
    },
    Hindi: {
      things: ["बिल सेवा", "रात का काम", "ग्राहक तालिका", "डाक द्वार"],
      withWord: [
        "X को कभी नहीं रोकना है।",
        "X का नाम मत बदलो।",
        "रिलीज़ से पहले X को हमेशा जाँचो।",
        "X बदलने से पहले आना से पूछना चाहिए।",
        "केवल आना X खोल सकती है।",
        "रिपोर्ट X के बिना लिखो।",
      ],
      withoutWord: [
        "X का फ़ैसला आना करती है।",
        "X को रात की पाली पर छोड़ दो।",
        "X मंगलवार को जारी होती है।",
        "X की रिपोर्ट फ़्रेंच में है।",
        "X की प्रतियाँ नब्बे दिन रहती हैं।",
        "X के बदलाव आना की लिखित हाँ का इंतज़ार करते हैं।",
      ],
    },
    Korean: {
      things: ["청구 서비스", "야간 작업", "고객 테이블", "메일 게이트웨이"],
      withWord: [
        "X 재시작은 절대 하지 마세요.",
        "X 이름을 바꾸지 마세요.",
        "배포 전에 X 항상 시험합니다.",
        "X 변경 전에 반드시 안나에게 묻습니다.",
        "안나만 X 열 수 있고 다른 사람은 금지입니다.",
        "보고서는 X 없이 씁니다.",
      ],
      withoutWord: [
        "X 결정은 안나가 합니다.",
        "X 관리는 야간 근무조에 맡깁니다.",
        "X 배포는 화요일에 합니다.",
        "X 보고서는 프랑스어로 씁니다.",
        "X 백업은 구십 일 동안 보관합니다.",
        "X 변경은 안나의 서면 승인을 기다립니다.",
      ],
    },
    Japanese: {
      things: ["請求サービス", "夜間ジョブ", "顧客テーブル", "メールゲートウェイ"],
      withWord: [
        "Xを再起動しないでください。",
        "Xの名前を変更しないこと。",
        "リリースの前に必ずXを試験します。",
        "Xを変更する前にアンナに聞いてください。",
        "Xを開くのはアンナだけです。",
        "報告書にはXを含めません。",
      ],
      withoutWord: [
        "Xのことはアンナが決めます。",
        "Xは夜勤に任せます。",
        "Xのリリースは火曜日です。",
        "Xの報告書はフランス語です。",
        "Xのバックアップは九十日残します。",
        "Xの変更はアンナの書面の承認を待ちます。",
      ],
      space: "",
    },
    Thai: {
      things: ["บริการออกบิล", "งานกลางคืน", "ตารางลูกค้า", "เกตเวย์อีเมล"],
      withWord: [
        "ห้ามเริ่มXใหม่",
        "อย่าเปลี่ยนชื่อX",
        "ต้องทดสอบXก่อนเผยแพร่",
        "ต้องถามแอนนาก่อนแก้ไขX",
        "ไม่มีใครเปิดXนอกจากแอนนา",
        "รายงานนี้ต้องเว้นX",
      ],
      withoutWord: [
        "แอนนาเป็นคนตัดสินใจเรื่องX",
        "ปล่อยXให้กะกลางคืนดูแล",
        "เราเผยแพร่Xทุกวันอังคาร",
        "รายงานเรื่องXเป็นภาษาฝรั่งเศส",
        "เราเก็บสำเนาของXเก้าสิบวัน",
        "การแก้ไขXรอคำอนุมัติจากแอนนา",
      ],
    },
  };
}

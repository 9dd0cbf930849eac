// The texts that shoppers read when the form cannot be shown. They are copies from `locales/`; a test compares them.

/** "Try again later", "go back to the shop", and the button that tries again. */
export type FailureTexts = readonly [later: string, never: string, tryAgain: string];

/** By the name of the message file. */
export const FAILURE_TEXTS: Readonly<Record<string, FailureTexts>> = {
  "ar-AE": [
    "تعذّر إتمام الدفع الآن. حاول لاحقًا.",
    "تعذّر بدء عملية الدفع. عُد إلى المتجر للبدء من جديد.",
    "حاول مرة أخرى",
  ],
  "ar-SA": [
    "تعذّر إتمام الدفع الآن. حاول لاحقًا.",
    "تعذّر بدء عملية الدفع. عُد إلى المتجر للبدء من جديد.",
    "حاول مرة أخرى",
  ],
  "cs-CZ": [
    "Platbu teď nelze provést. Zkuste to později.",
    "Platbu se nepodařilo zahájit. Vraťte se do obchodu a začněte znovu.",
    "Zkusit znovu",
  ],
  "de-DE": [
    "Die Zahlung ist zurzeit nicht möglich. Versuchen Sie es später erneut.",
    "Die Zahlung konnte nicht gestartet werden. Kehren Sie zum Shop zurück, um neu zu beginnen.",
    "Erneut versuchen",
  ],
  "en-US": [
    "The payment could not be made right now. Try again later.",
    "The payment could not be started. Go back to the store to start again.",
    "Try again",
  ],
  "es-AR": [
    "En este momento no se puede realizar el pago. Intentalo más tarde.",
    "No se pudo iniciar el pago. Volvé a la tienda para empezar de nuevo.",
    "Intentar de nuevo",
  ],
  "es-CL": [
    "En este momento no se puede realizar el pago. Inténtalo más tarde.",
    "No se pudo iniciar el pago. Vuelve al comercio para comenzar de nuevo.",
    "Reintentar",
  ],
  "es-CO": [
    "En este momento no se puede realizar el pago. Inténtalo más tarde.",
    "No se pudo iniciar el pago. Vuelve a la tienda para empezar de nuevo.",
    "Intentar de nuevo",
  ],
  "es-ES": [
    "Ahora mismo no se puede realizar el pago. Inténtalo más tarde.",
    "No se ha podido iniciar el pago. Vuelve a la tienda para empezar de nuevo.",
    "Intentar de nuevo",
  ],
  "es-PE": [
    "En este momento no se puede realizar el pago. Inténtalo más tarde.",
    "No se pudo iniciar el pago. Regresa a la tienda para empezar de nuevo.",
    "Intentar nuevamente",
  ],
  "fr-FR": [
    "Le paiement ne peut pas être effectué pour le moment. Réessayez plus tard.",
    "Le paiement n’a pas pu démarrer. Retournez à la boutique pour recommencer.",
    "Réessayer",
  ],
  "hu-HU": [
    "A fizetés most nem hajtható végre. Próbálja újra később.",
    "A fizetést nem sikerült elindítani. Térjen vissza a boltba, és kezdje újra.",
    "Próbálja újra",
  ],
  "in-ID": [
    "Pembayaran tidak dapat dilakukan saat ini. Coba lagi nanti.",
    "Pembayaran tidak dapat dimulai. Kembali ke toko untuk memulai lagi.",
    "Coba lagi",
  ],
  "it-IT": [
    "Al momento non è possibile effettuare il pagamento. Riprova più tardi.",
    "Non è stato possibile avviare il pagamento. Torna al negozio per ricominciare.",
    "Riprova",
  ],
  "ja-JP": [
    "現在お支払いができません。しばらくしてからもう一度お試しください。",
    "お支払いを開始できませんでした。ショップに戻ってやり直してください。",
    "もう一度試す",
  ],
  "km-KH": [
    "មិនអាចបង់ប្រាក់បានទេនៅពេលនេះ។ សូមព្យាយាមម្ដងទៀតនៅពេលក្រោយ។",
    "មិនអាចចាប់ផ្ដើមការបង់ប្រាក់បានទេ។ សូមត្រឡប់ទៅហាងវិញ ដើម្បីចាប់ផ្ដើមម្ដងទៀត។",
    "ព្យាយាមម្ដងទៀត",
  ],
  "ko-KR": [
    "지금은 결제할 수 없습니다. 나중에 다시 시도해 주세요.",
    "결제를 시작할 수 없습니다. 상점으로 돌아가 다시 시작해 주세요.",
    "다시 시도",
  ],
  "lo-LA": ["ບໍ່ສາມາດຊຳລະໄດ້ໃນຕອນນີ້. ກະລຸນາລອງໃໝ່ພາຍຫຼັງ.", "ບໍ່ສາມາດເລີ່ມການຊຳລະໄດ້. ກັບໄປຫາຮ້ານຄ້າເພື່ອເລີ່ມໃໝ່.", "ລອງໃໝ່"],
  "my-MM": [
    "ယခု ငွေပေးချေ၍ မရသေးပါ။ နောက်မှ ထပ်မံကြိုးစားပါ။",
    "ငွေပေးချေမှုကို စတင်၍ မရပါ။ အစမှပြန်စရန် ဆိုင်သို့ ပြန်သွားပါ။",
    "ထပ်မံကြိုးစားရန်",
  ],
  "nl-NL": [
    "De betaling kan nu niet worden uitgevoerd. Probeer het later opnieuw.",
    "De betaling kon niet worden gestart. Ga terug naar de winkel om opnieuw te beginnen.",
    "Opnieuw proberen",
  ],
  "pl-PL": [
    "W tej chwili nie można zrealizować płatności. Spróbuj później.",
    "Nie udało się rozpocząć płatności. Wróć do sklepu, aby zacząć od nowa.",
    "Spróbuj ponownie",
  ],
  "pt-PT": [
    "De momento, não é possível efetuar o pagamento. Tente mais tarde.",
    "Não foi possível iniciar o pagamento. Volte à loja para recomeçar.",
    "Tentar novamente",
  ],
  "ro-RO": [
    "Plata nu poate fi efectuată acum. Încearcă mai târziu.",
    "Plata nu a putut fi inițiată. Întoarce-te la magazin pentru a începe din nou.",
    "Încearcă din nou",
  ],
  "ru-KZ": [
    "Сейчас оплата невозможна. Попробуйте позже.",
    "Не удалось начать оплату. Вернитесь в магазин, чтобы начать заново.",
    "Попробовать ещё раз",
  ],
  "ru-RU": [
    "Сейчас оплата невозможна. Попробуйте позже.",
    "Не удалось начать оплату. Вернитесь в магазин, чтобы начать заново.",
    "Попробовать ещё раз",
  ],
  "sk-SK": [
    "Platbu teraz nie je možné vykonať. Skúste to neskôr.",
    "Platbu sa nepodarilo začať. Vráťte sa do obchodu a začnite znova.",
    "Skúsiť znova",
  ],
  "th-TH": [
    "ไม่สามารถชำระเงินได้ในขณะนี้ โปรดลองใหม่ภายหลัง",
    "ไม่สามารถเริ่มการชำระเงินได้ โปรดกลับไปที่ร้านค้าเพื่อเริ่มใหม่",
    "ลองอีกครั้ง",
  ],
  "tl-PH": [
    "Hindi magawa ang pagbabayad sa ngayon. Subukang muli mamaya.",
    "Hindi masimulan ang pagbabayad. Bumalik sa tindahan para magsimulang muli.",
    "Subukang muli",
  ],
  "vi-VN": [
    "Hiện không thể thực hiện thanh toán. Vui lòng thử lại sau.",
    "Không thể bắt đầu thanh toán. Vui lòng quay lại cửa hàng để bắt đầu lại.",
    "Thử lại",
  ],
  "zh-HK": ["暫時未能付款，請稍後再試。", "未能開始付款，請返回商店重新開始。", "再試一次"],
  "zh-TW": ["目前無法完成付款，請稍後再試。", "無法開始付款，請返回商店重新開始。", "再試一次"],
};

const DEFAULT = "en-US";

/** The texts for `tag`, such as "fr-CA": of that locale, or else of the same language, or else English. */
export function failureTexts(tag: string): FailureTexts {
  const names = Object.keys(FAILURE_TEXTS);
  const language = tag.split("-")[0];
  const name = names.find((one) => one === tag) ?? names.find((one) => one.split("-")[0] === language);
  return FAILURE_TEXTS[name ?? DEFAULT] as FailureTexts;
}

"""The language of a text, guessed by its letters and short words."""

from __future__ import annotations

import pytest

from ragstone.core.text import language_of

TEXTS = {
    "German": (
        "Der Motor wird mit einer Spannung von zwölf Volt betrieben und ist durch eine Sicherung geschützt. Die "
        "Steuerung erkennt den Fehler und schaltet den Antrieb ab, wenn der Strom zu hoch ist. Nach dem Abkühlen "
        "kann die Anlage wieder gestartet werden, sofern kein weiterer Fehler vorliegt."
    ),
    "French": (
        "Le moteur est alimenté par une tension de douze volts et protégé par un fusible. La commande détecte le "
        "défaut et arrête l'entraînement si le courant est trop élevé. Après le refroidissement, l'installation "
        "peut être redémarrée, pourvu qu'il n'y ait pas d'autre défaut dans le système."
    ),
    "Spanish": (
        "El motor se alimenta con una tensión de doce voltios y está protegido por un fusible. El control detecta "
        "la avería y apaga el accionamiento cuando la corriente es demasiado alta. Después de enfriarse, la "
        "instalación puede volver a arrancar si no hay otra avería en el sistema."
    ),
    "Italian": (
        "Il motore è alimentato con una tensione di dodici volt ed è protetto da un fusibile. Il controllo rileva "
        "il guasto e spegne l'azionamento quando la corrente è troppo alta. Dopo il raffreddamento l'impianto può "
        "essere riavviato se non ci sono altri guasti nel sistema di comando."
    ),
    "Dutch": (
        "De motor wordt gevoed met een spanning van twaalf volt en is beveiligd met een zekering. De besturing "
        "herkent de fout en schakelt de aandrijving uit als de stroom te hoog is. Na het afkoelen kan de "
        "installatie weer worden gestart, mits er geen andere fout is in het systeem."
    ),
    "Portuguese": (
        "O motor é alimentado com uma tensão de doze volts e está protegido por um fusível. O comando deteta a "
        "avaria e desliga o acionamento quando a corrente é demasiado alta. Depois de arrefecer, a instalação pode"
        " ser ligada outra vez, se não houver mais avarias no sistema de comando para reparar."
    ),
    "Swedish": (
        "Motorn drivs med en spänning på tolv volt och är skyddad av en säkring. Styrningen upptäcker felet och "
        "stänger av drivningen när strömmen är för hög. Efter att den har svalnat kan anläggningen startas igen, "
        "om det inte finns något annat fel i systemet som måste åtgärdas."
    ),
    "Polish": (
        "Silnik jest zasilany napięciem dwunastu woltów i jest zabezpieczony bezpiecznikiem. Sterowanie wykrywa "
        "usterkę i wyłącza napęd, gdy prąd jest za wysoki. Po ostygnięciu instalacja może zostać ponownie "
        "uruchomiona, o ile nie ma innej usterki w układzie oraz nie świeci się lampka."
    ),
    "Turkish": (
        "Motor on iki voltluk bir gerilimle çalışır ve bir sigorta ile korunur. Kumanda arızayı algılar ve akım "
        "çok yüksek olduğu için tahriki kapatır. Soğuduktan sonra tesis yeniden çalıştırılabilir, ancak başka bir "
        "arıza olmadığı kadar güvenli değil, bu da daha sonra gibi kontrol edilir."
    ),
    "English": (
        "The motor runs at a voltage or twelve volts and is protected by a fuse. The controller detects the fault "
        "and turns the drive off when the current is too high. After it has cooled down, the plant can be started "
        "again, provided that there is no other fault in the system."
    ),
    "a language in Cyrillic letters": (
        "Двигатель питается напряжением двенадцать вольт и защищён предохранителем. Система управления "
        "обнаруживает неисправность."
    ),
    "Japanese": (
        "モーターは十二ボルトの電圧で動作し、ヒューズで保護されています。制御装置は故障を検出し、電流が高すぎる場合は駆動を停止します。"
    ),
    "Chinese": (
        "电机由十二伏电压供电，并由保险丝保护。控制器检测到故障并在电流过高时关闭驱动器。冷却后，只要没有其他故障，设备就可以重新启动。"
    ),
}


@pytest.mark.parametrize("language", TEXTS)
def test_the_language_of_a_paragraph(language: str) -> None:
    assert language_of(TEXTS[language]) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Der Motor ist an.",
        "def f(x):\n    return x + 1\n" * 40,
        "| a | o | e | no | as | do |\n" * 40,
        "https://example.org/a/de/la/index.html " * 60,
        "1234 5678 -- 90 " * 100,
        "\u0000\ud800\U0001f600" * 100,
        "kvantti sormus lukko vene puu kala talo " * 30,
    ],
)
def test_nothing_is_said_of_what_is_no_prose(text: str) -> None:
    assert language_of(text) is None


def test_an_english_text_with_foreign_words_is_english() -> None:
    mixed = TEXTS["English"] + " The German words der, die, das, und, nicht and ist are articles and the like."
    assert language_of(mixed) == "English"

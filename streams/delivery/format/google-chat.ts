/** Formats messages for Google Chat: https://developers.google.com/workspace/chat/api/reference/rest/v1/cards. */
import { bytesOf, fitMessage, moreOf, type Content, type List, type Message } from '#streams/delivery/format/message.ts'
import { cut, escape, disableFormatting } from '#streams/delivery/format/text.ts'

/** Maximum bytes of a message. */
const bytesMax = 32_000
/** Maximum characters of a text, after escaping. */
const textMax = 4000

type Widget =
  | { textParagraph: { text: string } }
  | { decoratedText: { topLabel: string; text: string; wrapText: true } }
  | { buttonList: { buttons: readonly { text: string; onClick: { openLink: { url: string } } }[] } }

export interface GoogleChatBody {
  text: string
  cardsV2: readonly [
    {
      cardId: string
      card: {
        header: { title: string; subtitle: string }
        sections: readonly { header?: string; widgets: readonly Widget[] }[]
      }
    },
  ]
}

/** @see Message */
export const googleChatBody = (message: Message): GoogleChatBody =>
  fitMessage(
    message,
    (content) => render(content, message.deliveryId),
    (body) => bytesOf(body) <= bytesMax,
  )

/** Texts of cards are simple HTML. */
const entity = escape({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })
const html = (text: string): string => cut(text, textMax, entity)
/** Other texts have no escapes, and interpret `<url|text>`, `<users/all>` and formatting. */
const plain = (text: string): string => disableFormatting(text).replaceAll('<', '‹').replaceAll('>', '›')

const paragraph = (text: string): Widget => ({ textParagraph: { text } })

function render({ title, badge, when, lines, facts, cause, list, link }: Content, id: string): GoogleChatBody {
  const first: Widget[] = [
    ...(lines.length > 0 ? [paragraph(lines.map(html).join('<br>'))] : []),
    ...facts.map(([topLabel, value]): Widget => ({ decoratedText: { topLabel, text: html(value), wrapText: true } })),
  ]
  const open = link && {
    buttonList: { buttons: [{ text: 'Open in Tidemark', onClick: { openLink: { url: link } } }] },
  }
  const sections = [
    { widgets: first },
    ...(cause ? [{ header: 'Cause', widgets: [paragraph(html(cause).replaceAll('\n', '<br>'))] }] : []),
    ...(list ? [{ header: list.label, widgets: toWidgets(list) }] : []),
    ...(open ? [{ widgets: [open] }] : []),
  ].filter(({ widgets }) => widgets.length > 0)
  const header = { title: plain(title), subtitle: plain([badge, when].filter(Boolean).join(' · ')) }
  return { text: plain(title), cardsV2: [{ cardId: id, card: { header, sections } }] }
}

const toWidgets = (list: List): Widget[] =>
  [...list.rows.map(({ title, line }) => `<b>${html(title)}</b>${line && `<br>${html(line)}`}`), moreOf(list)]
    .filter(Boolean)
    .map(paragraph)

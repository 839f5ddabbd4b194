/** Formats messages for Slack incoming webhooks: https://docs.slack.dev/reference/block-kit/blocks. */
import { fitMessage, moreOf, type Content, type List, type Message } from '#streams/delivery/format/message.ts'
import { cut, escape, disableFormatting } from '#streams/delivery/format/text.ts'

/** Maximum characters, after escaping. */
const most = { header: 150, section: 3000, field: 2000, text: 40_000 } as const
const fieldsMax = 10
/**
 * Not documented by Slack, which refuses blocks with more than about 13,000 characters in total
 * (slackapi/bolt-js#2509).
 */
const blocksMax = 12_000

interface Text {
  type: 'plain_text' | 'mrkdwn'
  text: string
  /** For mrkdwn: names and addresses in the text do not become links or mentions. */
  verbatim?: true
  /** For plain text: `:name:` stays as it is. */
  emoji?: false
}

export interface SlackBody {
  text: string
  blocks: readonly (
    | { type: 'header'; text: Text }
    | { type: 'section'; text: Text }
    | { type: 'section'; fields: readonly Text[] }
    | { type: 'context'; elements: readonly Text[] }
  )[]
}

/** @see Message */
export const slackBody = (message: Message): SlackBody =>
  fitMessage(message, render, ({ blocks }) => JSON.stringify(blocks).length <= blocksMax)

/** `<` would begin links and mentions: of a person, a channel, or everyone. */
const entity = escape({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })
const toSlackText = (text: string, max: number): string => cut(disableFormatting(text), max, entity)
const mrkdwn = (text: string): Text => ({ type: 'mrkdwn', text, verbatim: true })
const section = (text: string): SlackBody['blocks'][number] => ({ type: 'section', text: mrkdwn(text) })

function render({ title, badge, when, lines, facts, cause, list, link }: Content): SlackBody {
  const fields = facts.slice(0, fieldsMax).map(([label, value]) => {
    const head = `*${label}*\n`
    return mrkdwn(head + toSlackText(value, most.field - head.length))
  })
  const causeHead = '*Cause*\n'
  return {
    text: toSlackText(title, most.text),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(title, most.header, entity), emoji: false } },
      { type: 'context', elements: [mrkdwn(toSlackText([badge, when].filter(Boolean).join(' · '), most.field))] },
      ...(lines.length > 0 ? [section(toSlackText(lines.join('\n'), most.section))] : []),
      ...(fields.length > 0 ? [{ type: 'section', fields } as const] : []),
      ...(cause ? [section(causeHead + toSlackText(cause, most.section - causeHead.length))] : []),
      ...(list ? toListTexts(list).map(section) : []),
      // Slack would call us for a button, and warn the user that there is no response.
      ...(link ? [section(`<${link.replaceAll('&', '&amp;')}|Open in Tidemark>`)] : []),
    ],
  }
}

/** The smallest number of texts with room for all rows. */
function toListTexts(list: List): string[] {
  const texts = [`*${list.label}*`]
  const rows = list.rows.map(({ title, line }) => {
    const head = `• *${toSlackText(title, most.field / 2)}*`
    return line ? `${head}\n${toSlackText(line, most.field / 2)}` : head
  })
  for (const row of [...rows, moreOf(list)].filter(Boolean)) {
    const longer = `${texts.at(-1)}\n${row}`
    if (longer.length <= most.section) texts[texts.length - 1] = longer
    else texts.push(row)
  }
  return texts
}

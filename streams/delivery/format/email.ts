/** Formats messages as mails: text, and the same as HTML with plain tables, without images, scripts or style sheets. */
import type { Mail } from '#streams/delivery/email.ts'
import {
  contentOf,
  moreOf,
  type Content,
  type List,
  type Message,
  type Tone,
} from '#streams/delivery/format/message.ts'
import { cut } from '#streams/delivery/format/text.ts'
import { escapeHtml } from '#streams/text.ts'

const subjectMax = 150

/** With `unsubscribe`, mail programs show a button for it (RFC 8058). */
export function mailBody(message: Message): Omit<Mail, 'to'> {
  const content = contentOf(message)
  const { title, unsubscribe } = content
  return {
    subject: cut(title, subjectMax),
    text: textOf(content),
    html: htmlOf(content),
    ...stopHeaders(unsubscribe),
  }
}

/** Headers for the mail programs' unsubscribe button. */
export const stopHeaders = (unsubscribe: string | undefined): Pick<Mail, 'headers'> =>
  unsubscribe
    ? { headers: { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } }
    : {}

function textOf({ title, badge, when, lines, facts, cause, list, link, unsubscribe }: Content): string {
  const parts = [
    title,
    [badge, when].filter(Boolean).join(', '),
    lines.join('\n'),
    facts.map(([label, value]) => `${label}: ${value}`).join('\n'),
    cause && `Cause:\n${cause}`,
    list && `${list.label}:\n${rowsText(list)}`,
    link && `Open in Tidemark: ${link}`,
    unsubscribe && `-- \nUnsubscribe from these emails: ${unsubscribe}`,
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

const rowsText = (list: List): string =>
  [...list.rows.map(({ title, line }) => `- ${title}${line && `: ${line}`}`), moreOf(list)].filter(Boolean).join('\n')

export const html = (text: string): string => escapeHtml(text).replaceAll('\n', '<br>')

/** Body of a mail without layout. */
export const plainHtml = (lines: readonly string[]): string =>
  `<div style="font:14px/1.5 sans-serif">${lines.map((line) => (line === '' ? '<br>' : `<div>${escapeHtml(line)}</div>`)).join('')}</div>`

const colors: Readonly<Record<Tone, string>> = {
  good: '#1a7f4b',
  neutral: '#1f5fbf',
  warning: '#9a6200',
  bad: '#b3261e',
}
export const font = 'font-family:Arial,Helvetica,sans-serif;'
export const dim = 'color:#5b6470;'

function htmlOf(content: Content): string {
  const { title, badge, tone, when, link, unsubscribe } = content
  const color = colors[tone]
  const rows = [
    row(
      `<span style="color:${color};font-weight:bold;">${html(badge)}</span>${when && ` &middot; ${html(when)}`}`,
      `${dim}font-size:13px;padding-top:22px;`,
    ),
    row(heading(title), 'padding-top:4px;'),
    ...inner(content),
    ...(link ? [button(link, color)] : []),
    row(foot(unsubscribe), `${dim}font-size:12px;line-height:18px;padding-top:26px;padding-bottom:22px;`),
  ]
  return pageOf(title, color, rows)
}

export const heading = (title: string): string =>
  `<h1 style="margin:0;font-size:21px;line-height:28px;color:#15191e;">${html(title)}</h1>`

/** A link into the product, shown as a button. */
export function button(link: string, color: string): string {
  const open = `display:inline-block;padding:11px 20px;background:${color};color:#ffffff;text-decoration:none;${font}font-size:15px;font-weight:bold;border-radius:4px;`
  return row(`<a href="${html(link)}" style="${open}">Open in Tidemark</a>`, 'padding-top:22px;')
}

/** HTML of a mail from these rows. */
export function pageOf(title: string, color: string, rows: readonly string[]): string {
  const page = 'margin:0;padding:0;background:#f3f5f7;'
  const card = `width:100%;max-width:600px;background:#ffffff;border-top:4px solid ${color};`
  return [
    '<!DOCTYPE html>',
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${html(title)}</title></head>`,
    `<body style="${page}">`,
    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f3f5f7;"><tr><td align="center" style="padding:24px 12px;">',
    `<table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" style="${card}">`,
    ...rows,
    '</table></td></tr></table></body></html>',
    '',
  ].join('\n')
}

export const row = (inside: string, style = ''): string =>
  `<tr><td style="padding:0 28px;text-align:left;${font}font-size:15px;line-height:22px;color:#15191e;word-break:break-word;${style}">${inside}</td></tr>`

export const foot = (unsubscribe: string | undefined): string =>
  `Sent by Tidemark.${unsubscribe ? ` <a href="${html(unsubscribe)}" style="${dim}">Unsubscribe from these emails</a>` : ''}`

function inner({ lines, facts, cause, list }: Content): string[] {
  const section = (text: string): string => row(`<strong>${html(text)}</strong>`, 'padding-top:18px;')
  return [
    ...lines.map((line) => row(html(line), 'padding-top:12px;')),
    ...(facts.length > 0 ? [row(factsHtml(facts), 'padding-top:14px;')] : []),
    ...(cause ? [section('Cause'), row(html(cause), 'padding-top:2px;')] : []),
    ...(list ? [section(list.label), row(listHtml(list), 'padding-top:4px;')] : []),
  ]
}

const table = (rows: readonly string[]): string =>
  `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="width:100%;border-collapse:collapse;">${rows.join('')}</table>`
const cell = `text-align:left;${font}font-size:14px;line-height:20px;padding:6px 0;border-top:1px solid #e4e8ec;vertical-align:top;word-break:break-word;`

const factsHtml = (facts: Content['facts']): string =>
  table(
    facts.map(
      ([label, value]) =>
        `<tr><td width="150" style="${cell}${dim}width:150px;padding-right:16px;">${html(label)}</td><td style="${cell}color:#15191e;">${html(value)}</td></tr>`,
    ),
  )

const listHtml = (list: List): string =>
  table([
    ...list.rows.map(
      ({ title, line }) =>
        `<tr><td style="${cell}color:#15191e;"><strong>${html(title)}</strong>${line && `<br><span style="${dim}">${html(line)}</span>`}</td></tr>`,
    ),
    ...(list.more > 0 ? [`<tr><td style="${cell}${dim}">${html(moreOf(list))}</td></tr>`] : []),
  ])

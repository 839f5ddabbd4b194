/** Formats a dashboard as a mail: the total and the most expensive groups of each of its views, with their files. */
import type { Attachment, Mail } from '#streams/delivery/email.ts'
import { button, dim, foot, heading, html, pageOf, row, stopHeaders } from '#streams/delivery/format/email.ts'
import {
  color,
  costRows,
  costTexts,
  fresh,
  range,
  section,
  small,
  subjectMax,
  usd,
  type ReportPage,
} from '#streams/delivery/format/report.ts'
import { cut, oneLine, quoteName } from '#streams/delivery/format/text.ts'

export interface DashboardPage {
  name: string
  organization: string
  /** Opens it in the console; empty if the console's address is unknown. */
  link: string
  /** In order; each with its own days. */
  pages: readonly ReportPage[]
  /** Views without figures, and why. */
  left: readonly { name: string; why: string }[]
}

/** Groups of each view; its file has more. */
const groupsMax = 5

const short = (page: ReportPage): ReportPage => ({ ...page, groups: page.groups.slice(0, groupsMax) })
const title = ({ name, days }: ReportPage): string => `${oneLine(name)}, ${range(days)}`

/** The mail without its receiver. With `unsubscribe`, mail programs show a button for it (RFC 8058). */
export function dashboardMail(
  dashboard: DashboardPage,
  attachments: readonly Attachment[],
  unsubscribe?: string,
): Omit<Mail, 'to'> {
  const { name, pages } = dashboard
  const [first] = pages
  return {
    subject: cut(`${oneLine(name)}${first ? `: ${title(first)} ${usd(first.total.costUSD)}` : ''}`, subjectMax),
    text: textOf(dashboard, unsubscribe),
    html: htmlOf(dashboard, unsubscribe),
    attachments,
    ...stopHeaders(unsubscribe),
  }
}

function textOf({ name, organization, link, pages, left }: DashboardPage, unsubscribe: string | undefined): string {
  const parts = [
    `${oneLine(name)}\n${quoteName(organization)}`,
    ...pages.flatMap((page) => [
      `== ${title(page)} ==`,
      ...costTexts(short(page)),
      fresh(page),
      page.link && `Open in Tidemark: ${page.link}`,
    ]),
    left.length > 0 && `Without figures:\n${left.map((one) => `- ${oneLine(one.name)}: ${one.why}`).join('\n')}`,
    link && `Open the dashboard: ${link}`,
    unsubscribe && `-- \nUnsubscribe from these emails: ${unsubscribe}`,
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

const pageRows = (page: ReportPage): string[] => [
  section(title(page)),
  ...costRows(short(page)),
  row(html(fresh(page)), small),
  ...(page.link ? [row(`<a href="${html(page.link)}" style="color:${color};">Open this view</a>`, small)] : []),
]

function htmlOf({ name, organization, link, pages, left }: DashboardPage, unsubscribe: string | undefined): string {
  const rows = [
    row(html(quoteName(organization)), `${dim}font-size:13px;padding-top:22px;`),
    row(heading(oneLine(name)), 'padding-top:4px;'),
    ...pages.flatMap(pageRows),
    ...left.map((one) => row(html(`${oneLine(one.name)}: ${one.why}`), small)),
    ...(link ? [button(link, color)] : []),
    row(foot(unsubscribe), `${dim}font-size:12px;line-height:18px;padding-top:26px;padding-bottom:22px;`),
  ]
  return pageOf(oneLine(name), color, rows)
}

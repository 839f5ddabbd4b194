/** Formats messages for Microsoft Teams: an adaptive card of version 1.5, for its webhooks and workflows. */
import { bytesOf, fitMessage, moreOf, type Content, type Message, type Tone } from '#streams/delivery/format/message.ts'
import { cut } from '#streams/delivery/format/text.ts'

/** Teams accepts 28 KB. */
const bytesMax = 28_000
const charactersMax = 2000

export interface TeamsBody {
  type: 'message'
  attachments: readonly [{ contentType: 'application/vnd.microsoft.card.adaptive'; content: Record<string, unknown> }]
}

/** @see Message */
export const teamsBody = (message: Message): TeamsBody =>
  fitMessage(message, render, (body) => bytesOf(body) <= bytesMax)

/**
 * Card texts are Markdown. Only characters with a meaning get a backslash, because phone clients show needless ones.
 * `{{` begins times that clients calculate.
 */
const escapeMarkdown = (text: string): string =>
  cut(text, charactersMax)
    .replace(/[\\*`~[<]|\{(?=\{)|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replace(/^[#>=]|^[+-](?=[\s-]|$)|(?<=^\d+)[.)](?=\s|$)/, '\\$&')

const colors: Readonly<Record<Tone, string>> = {
  good: 'good',
  neutral: 'accent',
  warning: 'warning',
  bad: 'attention',
}

const block = (text: string, more: object = {}): object => ({ type: 'TextBlock', text, wrap: true, ...more })

function render({ title, badge, tone, when, lines, facts, cause, list, link }: Content): TeamsBody {
  const head = { weight: 'bolder' }
  const near = { spacing: 'none' }
  const body = [
    block(escapeMarkdown(badge), { weight: 'bolder', color: colors[tone] }),
    block(escapeMarkdown(title), { ...near, size: 'large', weight: 'bolder' }),
    ...(when ? [block(when, { ...near, isSubtle: true })] : []),
    ...lines.map((line) => block(escapeMarkdown(line))),
    ...(facts.length > 0
      ? [{ type: 'FactSet', facts: facts.map(([label, value]) => ({ title: label, value: escapeMarkdown(value) })) }]
      : []),
    // A single line break has no effect in Markdown.
    ...(cause ? [block('Cause', head), ...cause.split('\n').map((line) => block(escapeMarkdown(line), near))] : []),
    ...(list
      ? [
          block(list.label, head),
          ...list.rows.flatMap(({ title: row, line }) => [
            block(`**${escapeMarkdown(row)}**`, { spacing: 'small' }),
            ...(line ? [block(escapeMarkdown(line), { ...near, isSubtle: true })] : []),
          ]),
          ...(list.more > 0 ? [block(moreOf(list), { spacing: 'small' })] : []),
        ]
      : []),
  ]
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.5',
    fallbackText: title,
    msteams: { width: 'Full' },
    body,
    ...(link && { actions: [{ type: 'Action.OpenUrl', title: 'Open in Tidemark', url: link }] }),
  }
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] }
}

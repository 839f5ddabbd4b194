/**
 * Formats messages for services that wake people: PagerDuty (https://developer.pagerduty.com/docs/events-api-v2) and
 * Opsgenie (https://docs.opsgenie.com/docs/alert-api). The id of the event is the key by which they drop repeats.
 */
import { contentOf, type Content, type Message, type Tone } from '#streams/delivery/format/message.ts'
import { cut } from '#streams/delivery/format/text.ts'

type Level = 'critical' | 'error' | 'warning' | 'info'

/** What an anomaly says of itself, otherwise by its tone. */
function levelOf({ event: { severity } }: Message, tone: Tone): Level {
  if (severity === 'emergency' || severity === 'critical') return 'critical'
  if (severity === 'warning') return 'warning'
  return ({ bad: 'error', warning: 'warning', neutral: 'info', good: 'info' } as const)[tone]
}

const detailsOf = ({ facts, cause, list, badge }: Content): Record<string, string> => ({
  ...(badge !== '' && { Event: badge }),
  ...Object.fromEntries(facts),
  ...(cause !== '' && { Cause: cause }),
  ...(list && { [list.label]: list.rows.map(({ title, line }) => (line ? `${title}: ${line}` : title)).join('\n') }),
})

const pagerDuty = { summary: 1024, source: 1024, dedup: 255 } as const

/** `key` is the integration key of a service. */
export function pagerDutyBody(message: Message, key: string) {
  const content = contentOf(message)
  const { event } = message
  return {
    routing_key: key,
    event_action: 'trigger',
    dedup_key: cut(event.id, pagerDuty.dedup),
    payload: {
      summary: cut(content.title, pagerDuty.summary),
      source: cut(event.scope.id || event.orgID, pagerDuty.source),
      severity: levelOf(message, content.tone),
      timestamp: event.occurredAt,
      component: event.scope.type,
      class: event.eventType,
      custom_details: detailsOf(content),
    },
    client: 'Tidemark',
    ...(content.link !== undefined && {
      client_url: content.link,
      links: [{ href: content.link, text: 'Open in Tidemark' }],
    }),
  }
}

const opsgenie = { message: 130, alias: 512, description: 15_000, entity: 512 } as const
const priorities = { critical: 'P1', error: 'P2', warning: 'P3', info: 'P5' } as const

export function opsgenieBody(message: Message) {
  const content = contentOf(message)
  const { event } = message
  const lines = [...content.lines, ...(content.link === undefined ? [] : [content.link])]
  return {
    message: cut(content.title, opsgenie.message),
    alias: cut(event.id, opsgenie.alias),
    description: cut(lines.join('\n'), opsgenie.description),
    details: detailsOf(content),
    entity: cut(event.scope.id || event.orgID, opsgenie.entity),
    source: 'Tidemark',
    tags: [event.eventType],
    priority: priorities[levelOf(message, content.tone)],
  }
}

/** `key` is the API key of an integration. */
export const opsgenieHeaders = (key: string): Record<string, string> => ({ Authorization: `GenieKey ${key}` })

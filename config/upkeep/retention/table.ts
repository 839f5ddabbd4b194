/** The rules as Markdown for docs/retention.md. */
import { settings } from '#config/settings/settings.ts'
import { otherRules } from './other-rules.ts'
import { sweptRules } from './swept-rules.ts'

const code = (names: Iterable<string>): string => [...names].map((name) => `\`${name}\``).join(', ')

function tablesText(postgres: Iterable<string>, clickhouse: Iterable<string>, streams: Iterable<string> = []): string {
  const parts = [
    code(postgres),
    code(clickhouse).replace(/^(?=.)/, 'ClickHouse: '),
    code(streams).replace(/^(?=.)/, 'NATS: '),
  ]
  return parts.filter((part) => part !== '').join('; ')
}

export function retentionTable(): string {
  const swept = sweptRules.flatMap(({ rollUp, postgres = {}, clickhouse = {}, ...rule }) => {
    const tables = tablesText(Object.keys(postgres), Object.keys(clickhouse))
    return (rollUp ? [rollUp, rule] : [rule]).map(({ what, setting, how }) => {
      const { name, fallback, unit } = settings[setting]
      const keep = fallback === 0 ? 'for ever' : `${fallback} ${unit}`
      return `| ${what} | ${keep} | \`${name}\` | ${how} | ${tables} |`
    })
  })
  const others = otherRules.map(
    ({ what, keep, how, postgres = [], clickhouse = [], streams = [] }) =>
      `| ${what} | ${keep} |  | ${how} | ${tablesText(postgres, clickhouse, streams)} |`,
  )
  return ['| what | kept | setting | how it is deleted | tables |', '|---|---|---|---|---|', ...swept, ...others].join(
    '\n',
  )
}

/** The questions of reports as analysts ask them, over the views of docs/analytics.md. */
import type { Query } from './query.ts'

const quoteSql = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** Columns of the views, by the parameters that narrow reports. */
const columns: Readonly<Record<string, string>> = {
  provider: 'provider',
  service_provider: 'service_provider',
  cloud_account_id: 'cloud_account_id',
  billing_account: 'billing_account_id',
  sub_account: 'sub_account_id',
  region: 'region',
  resource_type: 'resource_type',
  service_name: 'service_name',
  purchase_type: 'purchase_type',
  charge_category: 'charge_category',
  resource_uid: 'resource_uid',
}

/** What narrows a question, or undefined where the views do not have it: then there is no such SQL. */
function conditions(query: Query): string[] | undefined {
  const found: string[] = []
  for (const [name, given] of Object.entries(query)) {
    const values = (Array.isArray(given) ? given : [given])
      .filter((value) => value !== undefined && value !== null && value !== '')
      .map(String)
    if (values.length === 0 || ['cost', 'compare', 'granularity', 'group_by', 'top', 'page', 'limit'].includes(name))
      continue
    if (name === 'from') found.push(`day >= ${quoteSql(values[0]!)}`)
    else if (name === 'to') found.push(`day <= ${quoteSql(values[0]!)}`)
    else {
      const column = columns[name.replace(/^filter\[(.*)\]$/, '$1')]
      if (!column) return undefined
      const texts = values.map((value) => (value === '(none)' ? '' : value))
      found.push(
        texts.length === 1 ? `${column} = ${quoteSql(texts[0]!)}` : `${column} IN (${texts.map(quoteSql).join(', ')})`,
      )
    }
  }
  return found
}

const steps: Readonly<Record<string, string>> = {
  daily: 'day',
  weekly: 'toMonday(day)',
  monthly: 'toStartOfMonth(day)',
}

/** Costs by period and dimensions; undefined where the views lack one of them. */
export function costsSql(query: Query, dims: readonly string[], granularity = ''): string | undefined {
  const where = conditions(query)
  const by = dims.map((dim) => columns[dim])
  if (!where || by.includes(undefined)) return undefined
  const view = [...dims, ...Object.keys(query)].some((name) => name.includes('resource_uid'))
    ? 'cost_daily'
    : 'cost_service_daily'
  const period = granularity === '' ? [] : [`${steps[granularity] ?? 'day'} AS period`]
  const keys = [...period, ...(by as string[])]
  const names = [...(granularity === '' ? [] : ['period']), ...(by as string[])]
  const cost = `sum(${String(query['cost'] || 'billed')}_cost) AS usd`
  return [
    `SELECT ${[...keys, cost].join(', ')}`,
    `FROM ${view}`,
    ...(where.length > 0 ? [`WHERE ${where.join(' AND ')}`] : []),
    ...(names.length > 0
      ? [`GROUP BY ${names.join(', ')}`, `ORDER BY ${granularity === '' ? 'usd DESC' : names.join(', ')}`]
      : []),
  ].join('\n')
}

export const providerDaysSql = (period: { from: string; to: string }): string =>
  costsSql(period, ['provider'], 'daily')!

/** The rows of anomalies, as they are asked for without stories; the day, type and key name one. */
export function anomaliesSql(query: Query): string {
  const listed = (name: string, column: string): string[] => {
    const given = query[name]
    const values = (Array.isArray(given) ? given : [given]).filter((value) => value !== undefined && value !== '')
    return values.length === 0 ? [] : [`${column} IN (${values.map((value) => quoteSql(String(value))).join(', ')})`]
  }
  const reviews = "if(review_state = '', 'none', review_state)"
  const where = [
    ...(query['from'] ? [`date >= ${quoteSql(String(query['from']))}`] : []),
    ...(query['to'] ? [`date <= ${quoteSql(String(query['to']))}`] : []),
    ...listed('type', 'anomaly_type'),
    ...listed('severity', 'severity'),
    ...listed('review', reviews),
    ...listed('cloud_account_id', 'cloud_account_id'),
    ...listed('team_id', 'team_id'),
    ...listed('id', 'id'),
    ...(query['min_usd'] ? [`excess_usd >= ${Number(query['min_usd'])}`] : []),
    ...(query['include_suppressed'] === false ? ['suppressed = 0'] : []),
    ...(query['include_recurring'] === false ? ["recurrence = ''"] : []),
  ]
  return [
    `SELECT date, anomaly_type, label, severity, actual_usd - expected_usd AS excess_usd, deviation_percent, root_cause, ${reviews} AS review`,
    'FROM anomalies',
    ...(where.length > 0 ? [`WHERE ${where.join(' AND ')}`] : []),
    `ORDER BY ${query['sort_by'] === 'date' ? 'date' : 'excess_usd'} DESC`,
  ].join('\n')
}

/** Security events; the principal tells tokens from sessions. */
export function securitySql(query: Query): string {
  const types = (Array.isArray(query['type']) ? query['type'] : []).map((type) => quoteSql(String(type)))
  const where = [
    ...(query['from'] ? [`at >= toDate(${quoteSql(String(query['from']))})`] : []),
    ...(query['to'] ? [`at < toDate(${quoteSql(String(query['to']))}) + 1`] : []),
    ...(types.length > 0 ? [`type IN (${types.join(', ')})`] : []),
    ...(query['user_id'] ? [`user_id = ${quoteSql(String(query['user_id']))}`] : []),
  ]
  return [
    'SELECT at, type, user_id, principal, email, ip, detail',
    'FROM security_events',
    ...(where.length > 0 ? [`WHERE ${where.join(' AND ')}`] : []),
    'ORDER BY at DESC',
  ].join('\n')
}

/** What channels were told; built-in mails are not among it. */
export function deliveriesSql(query: Query): string {
  const listed = (name: string, column: string): string[] => {
    const values = (Array.isArray(query[name]) ? query[name] : []).map((value) => quoteSql(String(value)))
    return values.length === 0 ? [] : [`${column} IN (${values.join(', ')})`]
  }
  const where = [
    ...listed('channel_id', 'channel_id'),
    ...listed('event_type', 'event_type'),
    ...listed('status', 'status'),
  ]
  return [
    'SELECT created_at, channel_id, event_type, title, status, tries, response_status, message',
    'FROM notifications',
    ...(where.length > 0 ? [`WHERE ${where.join(' AND ')}`] : []),
    'ORDER BY created_at DESC',
  ].join('\n')
}

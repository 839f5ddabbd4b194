/** Calls of routes that need something before what a test is about can be asked. */

/** A day with costs, where tests ask every route: the day before yesterday. */
export const probedDay = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)

/** What stands in paths that are no ids. */
const places: Readonly<Record<string, string>> = { teamID: 'unassigned', tagKey: 'env', tagValue: 'prod' }
export const placed = (path: string): string =>
  path.replaceAll(/:(\w+)/g, (whole, name: string) => places[name] ?? whole)

/** What parameters that are required are given; the metric is one that the test has made. */
export const needed: Readonly<Record<string, string>> = {
  dims: 'provider',
  from: probedDay,
  to: probedDay,
  metric: 'orders',
}
export const orders = { name: 'Orders', key: 'orders', unit: 'order', ingestion: 'push', aggregation: 'sum' }

/** Names shown for services that bill formats name differently. */
import type { QueryRunner } from '#analytics/attribution/sharing.ts'
import { billedServices } from '#analytics/cost/questions.ts'
import { serviceSpellings, shownServices } from '#streams/billing/line/service-name.ts'

/** Parameters of queries by service: names, and by position the names shown for them. */
export async function findServiceNames(
  ask: QueryRunner,
  org: string,
): Promise<{ service_names?: string[]; service_titles?: string[] }> {
  const rows = await ask(billedServices, { org, names: [...serviceSpellings] })
  const shown = shownServices(rows.map((row) => row.service_name))
  return shown.size === 0 ? {} : { service_names: [...shown.keys()], service_titles: [...shown.values()] }
}

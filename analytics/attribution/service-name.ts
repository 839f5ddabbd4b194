/** What services are shown as whose bills came in formats that call them differently. */
import type { QueryRunner } from '#analytics/attribution/sharing.ts'
import { billedServices } from '#analytics/cost/questions.ts'
import { serviceSpellings, shownServices } from '#streams/billing/line/service-name.ts'

/** The parameters that questions by service are asked with: names, and by place what they are shown as. */
export async function findServiceNames(
  ask: QueryRunner,
  org: string,
): Promise<{ service_names?: string[]; service_titles?: string[] }> {
  const rows = await ask(billedServices, { org, names: [...serviceSpellings] })
  const shown = shownServices(rows.map((row) => row.service_name))
  return shown.size === 0 ? {} : { service_names: [...shown.keys()], service_titles: [...shown.values()] }
}

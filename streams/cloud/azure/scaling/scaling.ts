/** The autoscale setting of a scaled resource, and its bounds. */
import { Fault } from '#engine/value/fault.ts'
import type { Capacity } from '#streams/cloud/connector.ts'
import { objectOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { autoscaleVersion, profilesIn } from './autoscale.ts'
import { permissionIn } from '#streams/cloud/scan/scan.ts'
import { groupOf, uidOf } from '#streams/cloud/azure/session/path.ts'
import type { At } from '#streams/cloud/azure/act/kind.ts'
import type { Item } from '#streams/cloud/azure/session/session.ts'

/** Azure requires the setting to be in the resource's group. Null: there is none; undefined: it may not be read. */
export async function settingOf({ session, id }: Pick<At, 'session' | 'id'>): Promise<Item | null | undefined> {
  const path = session.path(
    `/resourceGroups/${encodeURIComponent(groupOf(id) ?? '')}/providers/Microsoft.Insights/autoscaleSettings`,
  )
  try {
    for await (const page of session.pages({ path, query: { 'api-version': autoscaleVersion } })) {
      const found = page.find((one) => uidOf(textAt(one, 'properties', 'targetResourceUri') ?? '') === uidOf(id))
      if (found) return found
    }
    return null
  } catch (error) {
    if (permissionIn(error) !== undefined) return undefined
    if (error instanceof Fault && (error.code === 'not_found' || error.code === 'not_registered')) return null
    throw error
  }
}

const toProfileCapacity = ({ min, max, desired }: Capacity) => ({
  minimum: String(min),
  maximum: String(max),
  default: String(Math.min(max, Math.max(min, desired))),
})

/** Azure only accepts complete settings. The first profile is the default. */
export async function writeBounds(at: At, to: Capacity): Promise<void> {
  const setting = await settingOf(at)
  if (!setting) return
  const [first, ...others] = profilesIn(setting)
  const profiles = [{ ...first, capacity: toProfileCapacity(to) }, ...others]
  const properties = { ...objectOf(setting['properties']), profiles }
  await at.session.ask({
    method: 'PUT',
    path: setting.id,
    query: { 'api-version': autoscaleVersion },
    body: { ...setting, properties },
  })
}

/** Finds the outermost owner of pods. */
import { byLabels, labelIn, newest, type HourBook } from './hour-series.ts'
import type { PrometheusSeries } from './series.ts'

export type ControllerOf = (info: PrometheusSeries) => { controllerKind?: string; controllerName?: string }

/** By kind of a pod's owner: the series with that owner's own owner, and the label with its name. */
const makers = {
  ReplicaSet: { name: 'kube_replicaset_owner', label: 'replicaset' },
  Job: { name: 'kube_job_owner', label: 'job_name' },
} as const

const isSaid = (text: string): boolean => text !== '' && text !== '<none>'

/** `infos` are the series of all pods. Owners are only queried for existing pods' owners. */
export async function controllersIn(book: HourBook, infos: readonly PrometheusSeries[]): Promise<ControllerOf> {
  const owners = new Map<string, readonly PrometheusSeries[]>()
  for (const [kind, { name, label }] of Object.entries(makers)) {
    if (!infos.some((info) => labelIn(info, 'created_by_kind') === kind)) continue
    for (const [key, all] of byLabels(await book.all(name), 'namespace', label)) owners.set(`${kind}/${key}`, all)
  }
  return (info) => {
    const [kind, name] = [labelIn(info, 'created_by_kind'), labelIn(info, 'created_by_name')]
    if (!isSaid(kind) || !isSaid(name)) return {}
    const owner = newest(owners.get(`${kind}/${labelIn(info, 'namespace')}/${name}`))
    const [ownerKind, ownerName] = [labelIn(owner, 'owner_kind'), labelIn(owner, 'owner_name')]
    const isOwned = isSaid(ownerKind) && isSaid(ownerName)
    return {
      controllerKind: (isOwned ? ownerKind : kind).toLowerCase(),
      controllerName: isOwned ? ownerName : name,
    }
  }
}

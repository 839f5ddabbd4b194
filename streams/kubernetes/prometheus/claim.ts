/** Volume claims, with their disks and the pods that mount them. */
import type { UsedClaim, UsedPod } from '#streams/kubernetes/messages.ts'
import { diskOf } from '#streams/kubernetes/disk.ts'
import { byLabels, labelIn, newest, type HourBook } from './hour-series.ts'
import { secondsOf, spansOf, together } from './time-span.ts'

const podsMax = 100

/** Claims whose disk is known. A cluster may have none. */
export async function claimsIn(book: HourBook, pods: readonly UsedPod[]): Promise<UsedClaim[]> {
  const mounts = await book.ifAny('kube_pod_spec_volumes_persistentvolumeclaims_info')
  const claims = await book[mounts.length > 0 ? 'all' : 'ifAny']('kube_persistentvolumeclaim_info')
  if (claims.length === 0) return []
  const volumes = byLabels(await book.all('kube_persistentvolume_info'), 'persistentvolume')
  const ran = new Set(pods.map(({ namespace, name }) => `${namespace}/${name}`))
  const mounted = byLabels(mounts, 'namespace', 'persistentvolumeclaim')
  return [...byLabels(claims, 'namespace', 'persistentvolumeclaim')].flatMap(([key, own]): UsedClaim[] => {
    const claim = newest(own)
    const namespace = labelIn(claim, 'namespace')
    const volume = newest(volumes.get(labelIn(claim, 'volumename')))
    const volumeUid = diskOf({
      handle: labelIn(volume, 'csi_volume_handle'),
      ebs: labelIn(volume, 'ebs_volume_id'),
      gce: labelIn(volume, 'gce_persistent_disk_name'),
      azure: labelIn(volume, 'azure_disk_name'),
    })
    const seconds = Math.round(secondsOf(spansOf(together(own), book.hour)))
    if (volumeUid === undefined || seconds === 0) return []
    const names = new Set((mounted.get(key) ?? []).map((one) => labelIn(one, 'pod')))
    const holders = [...names].filter((name) => ran.has(`${namespace}/${name}`)).toSorted()
    return [
      {
        namespace,
        name: labelIn(claim, 'persistentvolumeclaim'),
        volumeUid,
        ...(holders.length > 0 && { pods: holders.slice(0, podsMax) }),
        ...(seconds < 3600 && { seconds }),
      },
    ]
  })
}

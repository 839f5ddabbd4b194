/** Counts over the lists of a region. */
import type { Snapshot } from '@aws-sdk/client-ec2'

/** How often each name is in the list. */
export function countBy(names: readonly (string | undefined)[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) if (name) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** Stands for the volume of a copy, whichever it was. */
const anyVolume = /^vol-f+$/

/** For a snapshot the number of newer completed ones of its volume; undefined if it does not name its volume. */
export function volumesSince(all: readonly Snapshot[]): (one: Snapshot) => number | undefined {
  const complete = all.filter(({ State }) => State === 'completed')
  const byVolume = new Map(
    [...Map.groupBy(complete, ({ VolumeId }) => VolumeId)].map(([volume, some]) => [
      volume,
      some.map(({ StartTime }) => StartTime?.getTime() ?? 0).toSorted((a, b) => b - a),
    ]),
  )
  return ({ VolumeId, StartTime }) => {
    if (!VolumeId || anyVolume.test(VolumeId) || !StartTime) return undefined
    const times = byVolume.get(VolumeId) ?? []
    const first = times.findIndex((time) => time <= StartTime.getTime())
    return first < 0 ? times.length : first
  }
}

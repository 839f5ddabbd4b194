import { Fault } from '#engine/value/fault.ts'
import { storeCommand } from '#config/command/line/build.ts'
import { protocol } from '#config/state/protocol.ts'

export const upgradeUndo = storeCommand({
  name: 'upgrade undo',
  summary: 'Undo an upgrade: let engines of this older version run the lanes again',
  takes: {},
  run: async ({ connections: { store, installation } }) => {
    const before = installation.newestProtocol
    if (before <= protocol) throw Fault.refused('nothing_to_undo', 'No newer version has run on these stores.')
    await store.rows('update installation set protocol = $1', [protocol])
    await installation.look()
    const text = `Engines with protocol ${protocol} run the lanes again. Messages that only protocol ${before} knows become dead letters.`
    return { data: { before, protocol }, text }
  },
})

import { Fault } from '#engine/value/fault.ts'
import type { Command } from '#config/command/line/command.ts'
import { withInstance } from '#config/product/instance.ts'
import { protocol } from '#config/state/protocol.ts'

export const upgradeUndo: Command = {
  name: 'upgrade undo',
  summary: 'Undo an upgrade: let engines of this older version run the lanes again',
  usage: 'tidemark upgrade undo',
  options: {},
  about: {},
  run: () =>
    withInstance(async ({ connections: { store, installation } }) => {
      const before = installation.newestProtocol
      if (before <= protocol) throw Fault.refused('nothing_to_undo', 'No newer version has run on these stores.')
      await store.rows('update installation set protocol = $1', [protocol])
      await installation.look()
      const text = `Engines with protocol ${protocol} run the lanes again. Messages that only protocol ${before} knows become dead letters.`
      return { data: { before, protocol }, text }
    }),
}

import { Fault } from '#engine/fault.ts'
import type { Command } from '#config/command/command.ts'
import { withInstance } from '#config/instance.ts'
import { protocol } from '#config/protocol.ts'

export const upgradeUndo: Command = {
  name: 'upgrade undo',
  summary: 'Go back to this version: its engines run the lanes again',
  usage: 'tidemark upgrade undo',
  options: {},
  about: {},
  run: () =>
    withInstance(async ({ connections: { store, installation } }) => {
      const before = installation.newestProtocol
      if (before <= protocol) throw Fault.refused('nothing_to_undo', 'No newer version has run here.')
      await store.rows('update installation set protocol = $1', [protocol])
      await installation.look()
      const text = `Engines of protocol ${protocol} run the lanes again; what only ${before} knows is set aside as dead letters.`
      return { data: { before, protocol }, text }
    }),
}

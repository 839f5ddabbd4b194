import { exportLines, tourSteps } from '#config/demo/tour.ts'
import type { Command } from '#config/command/line/command.ts'
import { notRunning } from '#config/command/line/engine.ts'
import { withInstance } from '#config/product/instance.ts'

export const demoTour: Command = {
  name: 'demo tour',
  summary: 'Print commands to try on the demo organization',
  usage: 'tidemark demo tour',
  options: {},
  about: {},
  run: () =>
    withInstance(async ({ settings, isRunning, url, analystsUrl: analysts, connections }) => {
      const { keptDemo } = await import('#config/demo/demo.ts')
      const demo = keptDemo(settings.dataDir)
      if (!demo)
        throw new Error(`There is no demo organization in ${settings.dataDir}: run npm start on an empty folder.`)
      if (!isRunning || url === undefined) throw new Error(notRunning)
      const { orgId, token, analystToken } = demo
      const exported = exportLines({ url, analysts, token, orgId, analystToken })
      const steps = tourSteps(connections.clock.now())
      const printed = steps.flatMap(({ title, commands }) => ['', `# ${title}`, ...commands])
      return { data: { exports: exported, steps }, text: [...exported, ...printed].join('\n') }
    }),
}

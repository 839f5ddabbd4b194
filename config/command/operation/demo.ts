import { exportLines, tourSteps } from '#config/demo/tour.ts'
import { storeCommand } from '#config/command/line/build.ts'
import { notRunning } from '#config/command/line/engine.ts'

export const demoTour = storeCommand({
  name: 'demo tour',
  summary: 'Print commands to try on the demo organization',
  takes: {},
  run: async ({ settings, isRunning, url, analystsUrl: analysts, connections }) => {
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
  },
})

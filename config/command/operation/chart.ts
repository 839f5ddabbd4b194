/** The Helm chart as files. */
import fs from 'node:fs'
import path from 'node:path'
import { chartOf } from '#config/tools/chart.ts'
import { requireValue, type Command } from '#config/command/line/command.ts'
import { version } from '#config/process/version.ts'

const usage = 'tidemark chart DIR'

export const chartCommand: Command = {
  name: 'chart',
  summary: 'Write a Helm chart for this version, generated from config/deploy',
  usage,
  positionals: 1,
  options: {},
  about: { DIR: 'Folder to write to: new, empty, or with an older Tidemark chart' },
  run: async ({ positionals }) => {
    const dir = path.resolve(requireValue({ usage }, positionals[0], 'DIR'))
    const inside = fs.existsSync(dir) ? fs.readdirSync(dir) : []
    const chart = path.join(dir, 'Chart.yaml')
    const isOurs = inside.includes('Chart.yaml') && /^name: tidemark$/m.test(fs.readFileSync(chart, 'utf8'))
    if (inside.length > 0 && !isOurs) throw new Error(`${dir} contains other files. Choose an empty folder.`)
    const files = Object.entries(chartOf(version))
    for (const [name, text] of files) {
      const file = path.join(dir, name)
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(file, text)
    }
    const data = { dir, version, files: files.map(([name]) => name) }
    return {
      data,
      text: `Wrote chart ${version} to ${dir}. To install: helm install tidemark ${dir} --namespace tidemark`,
    }
  },
}

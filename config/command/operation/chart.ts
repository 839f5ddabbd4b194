/** The Helm chart as files. */
import fs from 'node:fs'
import path from 'node:path'
import { chartOf } from '#config/tools/chart.ts'
import { command } from '#config/command/line/build.ts'
import { argument } from '#config/command/line/flag.ts'
import { version } from '#config/process/version.ts'

export const chartCommand = command({
  name: 'chart',
  summary: 'Write a Helm chart for this version, generated from config/deploy',
  takes: { folder: argument('DIR', 'Folder to write to: new, empty, or with an older Tidemark chart') },
  run: ({ folder }) => {
    const dir = path.resolve(folder)
    const inside = fs.existsSync(dir) ? fs.readdirSync(dir) : []
    const chart = path.join(dir, 'Chart.yaml')
    const isOurs = inside.includes('Chart.yaml') && /^name: tidemark$/m.test(fs.readFileSync(chart, 'utf8'))
    if (inside.length > 0 && !isOurs) throw new Error(`${dir} contains other files. Choose an empty folder.`)
    const files = Object.entries(chartOf())
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
})

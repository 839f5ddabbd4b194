/** A chart as a picture: its title, the drawing, and what the colours mean. */
import type { EChartsType } from 'echarts/core'
import { drawnColor, themeValue } from '../part/series-color.ts'
import type { DrawnChart } from './props.ts'

const scale = 2
const [margin, titleHeight, rowHeight, swatch] = [16, 34, 20, 10]

export function pictureOf(drawing: EChartsType, chart: DrawnChart): Promise<Blob> {
  const [width, height] = [drawing.getWidth(), drawing.getHeight()]
  const picture = document.createElement('canvas')
  const pen = picture.getContext('2d')!
  const font = (weight: number, size: number) => `${weight} ${size}px ${themeValue('--font')}`
  const entries = [
    ...chart.series.map(({ label, place, isOther }) => ({ label, color: drawnColor(place, isOther) })),
    ...(chart.overlays ?? []).map(({ label }) => ({ label, color: themeValue('--ink') })),
  ]
  pen.font = font(400, 12)
  const placed = placeEntries(entries, width, (text) => pen.measureText(text).width)
  const rows = (placed.at(-1)?.row ?? -1) + 1
  picture.width = (width + 2 * margin) * scale
  picture.height = (titleHeight + height + rows * rowHeight + 2 * margin) * scale
  pen.scale(scale, scale)
  pen.fillStyle = themeValue('--panel')
  pen.fillRect(0, 0, picture.width, picture.height)
  pen.textBaseline = 'middle'
  pen.fillStyle = themeValue('--ink')
  pen.font = font(600, 15)
  pen.fillText(chart.title, margin, margin + 8)
  pen.drawImage(drawing.renderToCanvas({ pixelRatio: scale }), margin, titleHeight, width, height)
  pen.font = font(400, 12)
  for (const { label, color, x, row } of placed) {
    const y = titleHeight + height + margin + row * rowHeight
    pen.fillStyle = color
    pen.fillRect(margin + x, y - swatch / 2, swatch, swatch)
    pen.fillStyle = themeValue('--ink')
    pen.fillText(label, margin + x + swatch + 5, y)
  }
  return new Promise((resolve, reject) =>
    picture.toBlob((content) => (content ? resolve(content) : reject(new Error('The picture is too large.')))),
  )
}

type Entry = { label: string; color: string }

/** Entries in rows, as many in each as fit. */
function placeEntries(
  entries: readonly Entry[],
  width: number,
  widthOf: (text: string) => number,
): (Entry & { x: number; row: number })[] {
  let [x, row] = [0, 0]
  return entries.map((entry) => {
    const own = swatch + 5 + widthOf(entry.label) + 16
    if (x > 0 && x + own > width) [x, row] = [0, row + 1]
    const placed = { ...entry, x, row }
    x += own
    return placed
  })
}

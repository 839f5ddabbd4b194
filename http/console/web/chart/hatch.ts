/** Slanted lines over what may still change, and where no bill is yet. */

export interface Hatch {
  image: HTMLCanvasElement
  repeat: 'repeat'
}

const sizePx = 6

/** A pattern that continues over its edges. */
export function hatchOf(color: string): Hatch {
  const image = document.createElement('canvas')
  image.width = sizePx
  image.height = sizePx
  const pen = image.getContext('2d')!
  pen.strokeStyle = color
  pen.lineWidth = 1.4
  pen.beginPath()
  for (const shift of [-sizePx, 0, sizePx]) {
    pen.moveTo(shift, sizePx)
    pen.lineTo(shift + sizePx, 0)
  }
  pen.stroke()
  return { image, repeat: 'repeat' }
}

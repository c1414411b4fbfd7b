export type Rgb = readonly [red: number, green: number, blue: number];
type Lab = readonly [lightness: number, a: number, b: number];
type Matrix = readonly [Rgb, Rgb, Rgb];

/**
 * Matrices that simulate colour blindness in linear RGB: Machado, Oliveira and Fernandes (2009),
 * severity 1.
 */
export const COLOUR_BLINDNESS: Readonly<Record<string, Matrix>> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

export function rgbOf(hex: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;
}

const linear = (value: number) => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};
const gamma = (value: number) => {
  const share = Math.min(1, Math.max(0, value));
  return 255 * (share <= 0.0031308 ? 12.92 * share : 1.055 * share ** (1 / 2.4) - 0.055);
};

/** A colour as someone with a colour blindness sees it. */
export function seenWith(matrix: Matrix, colour: Rgb): Rgb {
  const light = colour.map(linear);
  return matrix.map((row) =>
    gamma(row.reduce((sum, share, i) => sum + share * light[i], 0)),
  ) as never;
}

/** Converts a colour to CIE L*a*b* under D65. */
export function labOf(colour: Rgb): Lab {
  const [r, g, b] = colour.map(linear);
  const f = (t: number) => (t > 216 / 24_389 ? Math.cbrt(t) : ((24_389 / 27) * t + 16) / 116);
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const DEGREE = Math.PI / 180;

/** Difference between two colours as ΔE2000: Sharma, Wu and Dalal (2005). */
export function deltaE2000([L1, a1, b1]: Lab, [L2, a2, b2]: Lab): number {
  const mean = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = (1 - Math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7))) / 2;
  const [A1, A2] = [a1 * (1 + g), a2 * (1 + g)];
  const [C1, C2] = [Math.hypot(A1, b1), Math.hypot(A2, b2)];
  const hue = (a: number, b: number) => (Math.atan2(b, a) / DEGREE + 360) % 360;
  const [h1, h2] = [hue(A1, b1), hue(A2, b2)];
  const isGrey = C1 * C2 === 0;
  let dh = isGrey ? 0 : h2 - h1;
  if (dh > 180) dh -= 360;
  else if (dh < -180) dh += 360;
  let h = h1 + h2;
  if (!isGrey) h = (Math.abs(h1 - h2) > 180 ? h + (h < 360 ? 360 : -360) : h) / 2;
  const [L, C] = [(L1 + L2) / 2, (C1 + C2) / 2];
  const cos = (degrees: number) => Math.cos(degrees * DEGREE);
  const t =
    1 - 0.17 * cos(h - 30) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + 6) - 0.2 * cos(4 * h - 63);
  const dL = (L2 - L1) / (1 + (0.015 * (L - 50) ** 2) / Math.sqrt(20 + (L - 50) ** 2));
  const dC = (C2 - C1) / (1 + 0.045 * C);
  const dH = (2 * Math.sqrt(C1 * C2) * Math.sin((dh / 2) * DEGREE)) / (1 + 0.015 * C * t);
  const turn = 60 * Math.exp(-(((h - 275) / 25) ** 2)) * DEGREE;
  const rotation = -2 * Math.sin(turn) * Math.sqrt(C ** 7 / (C ** 7 + 25 ** 7));
  return Math.sqrt(dL ** 2 + dC ** 2 + dH ** 2 + rotation * dC * dH);
}

/** The service's icon, as SVG: bands of travel time around a place. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="#d5e8e4"/><circle cx="16" cy="16" r="10" fill="#6fb3a6"/><circle cx="16" cy="16" r="5" fill="#14554a"/></svg>
`;

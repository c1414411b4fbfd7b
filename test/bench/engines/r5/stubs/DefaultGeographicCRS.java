package org.geotools.referencing.crs;

import org.opengis.referencing.crs.CoordinateReferenceSystem;

/** Named by R5, and never used for travel times. */
public class DefaultGeographicCRS implements CoordinateReferenceSystem {
  public static final DefaultGeographicCRS WGS84 = new DefaultGeographicCRS();
}

package org.geotools.referencing;

import org.opengis.referencing.crs.CoordinateReferenceSystem;

/**
 * Distances on a sphere. R5 asks for them where a feed has blank times, which it fills in by how far
 * the stops lie apart, and for nothing else.
 */
public class GeodeticCalculator {
  private static final double EARTH_METRES = 6_371_008.8;
  private double fromLon, fromLat, toLon, toLat;

  public GeodeticCalculator() {}

  public GeodeticCalculator(CoordinateReferenceSystem system) {}

  public void setStartingGeographicPoint(double lon, double lat) {
    fromLon = Math.toRadians(lon);
    fromLat = Math.toRadians(lat);
  }

  public void setDestinationGeographicPoint(double lon, double lat) {
    toLon = Math.toRadians(lon);
    toLat = Math.toRadians(lat);
  }

  public double getOrthodromicDistance() {
    double along = Math.pow(Math.sin((toLat - fromLat) / 2), 2);
    double across = Math.pow(Math.sin((toLon - fromLon) / 2), 2);
    double half = along + Math.cos(fromLat) * Math.cos(toLat) * across;
    return 2 * EARTH_METRES * Math.asin(Math.sqrt(half));
  }
}
